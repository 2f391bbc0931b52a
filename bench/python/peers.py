"""Engines that are driven from Python, on the scenes that `signorini-bench scenes` writes.

    python peers.py SCENES OUT [--engines mujoco,pybullet,drake] [--only S1] [--budget 60]

Each run writes OUT/ENGINE-SETTINGS-SCENE.json with poses, velocities and CPU times; `signorini-bench grade` measures
them. An engine that is not installed is skipped with a line that says so. Poses are centre and (w, x, y, z); velocities
are world axes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

Scene = dict[str, Any]
Frame = dict[str, Any]


class Engine(Protocol):
    """A scene loaded into an engine."""

    def step(self) -> None: ...

    def observe(self) -> tuple[list[list[float]], list[list[float]]]: ...

    def contacts(self) -> int | None: ...


def fixed_state(body: dict[str, Any]) -> tuple[list[float], list[float]]:
    return [*body["pos"], *body["quat"]], [0.0] * 6


class MuJoCo:
    """MuJoCo. `default`: as it comes. `stiff`: elliptic cone, constant impedance 0.9999, time constant 2 steps."""

    settings = ("default", "stiff")

    def __init__(self, scene: Scene, settings: str) -> None:
        import mujoco

        self.mujoco, self.scene = mujoco, scene
        stiff = settings == "stiff"
        dt = scene["dt"]
        option = f'timestep="{dt}" gravity="{" ".join(map(str, scene["gravity"]))}"'
        if stiff:
            option += ' cone="elliptic" impratio="100" iterations="100" tolerance="1e-10"'
        solver = f'solref="{2 * dt} 1" solimp="0.9999 0.9999 0.001 0.5 2"' if stiff else ""
        parts = []
        for index, body in enumerate(scene["bodies"]):
            size = body["half"] if body["shape"] == "box" else [body["radius"]]
            mass = "" if body["static"] else f'mass="{body["mass"]}"'
            joint = "" if body["static"] else "<freejoint/>"
            parts.append(
                f'<body name="b{index}" pos="{" ".join(map(str, body["pos"]))}" '
                f'quat="{" ".join(map(str, body["quat"]))}">{joint}'
                f'<geom type="{body["shape"]}" size="{" ".join(map(str, size))}" {mass} '
                f'friction="{body["mu"]} 0 0" condim="3" {solver}/></body>'
            )
        xml = f'<mujoco><option {option}/><size memory="1G"/><worldbody>{"".join(parts)}</worldbody></mujoco>'
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        address = 0
        for body in scene["bodies"]:
            if body["static"]:
                continue
            # Linear velocity in world axes, angular velocity in body axes.
            self.data.qvel[address : address + 3] = body["v"]
            self.data.qvel[address + 3 : address + 6] = rotate(conjugate(body["quat"]), body["w"])
            address += 6
        mujoco.mj_forward(self.model, self.data)

    def step(self) -> None:
        self.mujoco.mj_step(self.model, self.data)

    def observe(self) -> tuple[list[list[float]], list[list[float]]]:
        poses, velocities, q, v = [], [], 0, 0
        for body in self.scene["bodies"]:
            if body["static"]:
                pose, velocity = fixed_state(body)
            else:
                pose = [float(x) for x in self.data.qpos[q : q + 7]]
                local = [float(x) for x in self.data.qvel[v + 3 : v + 6]]
                velocity = [float(x) for x in self.data.qvel[v : v + 3]] + rotate(pose[3:], local)
                q, v = q + 7, v + 6
            poses.append(pose)
            velocities.append(velocity)
        return poses, velocities

    def contacts(self) -> int:
        return int(self.data.ncon)

    @staticmethod
    def version() -> str:
        return str(importlib.import_module("mujoco").__version__)


class PyBullet:
    """Bullet through pybullet. `default`: 50 iterations, as it comes. `it200`: 200 iterations."""

    settings = ("default", "it200")

    def __init__(self, scene: Scene, settings: str) -> None:
        import pybullet

        self.bullet, self.scene = pybullet, scene
        self.client = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*scene["gravity"], physicsClientId=self.client)
        iterations = 200 if settings == "it200" else 50
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=scene["dt"],
            numSolverIterations=iterations,
            numSubSteps=0,
            restitutionVelocityThreshold=0.5,
            physicsClientId=self.client,
        )
        self.bodies = []
        for body in scene["bodies"]:
            if body["shape"] == "box":
                shape = pybullet.createCollisionShape(
                    pybullet.GEOM_BOX, halfExtents=body["half"], physicsClientId=self.client
                )
            else:
                shape = pybullet.createCollisionShape(
                    pybullet.GEOM_SPHERE, radius=body["radius"], physicsClientId=self.client
                )
            w, x, y, z = body["quat"]
            made = pybullet.createMultiBody(
                0.0 if body["static"] else body["mass"],
                shape,
                basePosition=body["pos"],
                baseOrientation=[x, y, z, w],
                physicsClientId=self.client,
            )
            # Bullet multiplies coefficients: the root gives the pair the value of the scene.
            pybullet.changeDynamics(
                made,
                -1,
                lateralFriction=math.sqrt(body["mu"]),
                restitution=math.sqrt(body["e"]),
                linearDamping=0.0,
                angularDamping=0.0,
                rollingFriction=0.0,
                spinningFriction=0.0,
                ccdSweptSphereRadius=0.8 * body["radius"] if body["ccd"] and body["shape"] == "sphere" else 0.0,
                physicsClientId=self.client,
            )
            pybullet.resetBaseVelocity(made, body["v"], body["w"], physicsClientId=self.client)
            self.bodies.append(made)

    def step(self) -> None:
        self.bullet.stepSimulation(physicsClientId=self.client)

    def observe(self) -> tuple[list[list[float]], list[list[float]]]:
        poses, velocities = [], []
        for made in self.bodies:
            position, (x, y, z, w) = self.bullet.getBasePositionAndOrientation(made, physicsClientId=self.client)
            linear, angular = self.bullet.getBaseVelocity(made, physicsClientId=self.client)
            poses.append([*position, w, x, y, z])
            velocities.append([*linear, *angular])
        return poses, velocities

    def contacts(self) -> int:
        points = self.bullet.getContactPoints(physicsClientId=self.client)
        self.bullet.disconnect(physicsClientId=self.client)
        return len(points)

    @staticmethod
    def version() -> str:
        from importlib.metadata import version

        return version("pybullet")


class Drake:
    """Drake's discrete plant with point contact. `default`: lagged, 1e6 N/m. `stiff`: 1e9 N/m, no dissipation time.

    Drake's point contact gives one point per pair, on which no box can stand: boxes carry eight small balls just inside
    their corners that touch the other bodies' boxes, and boxes do not touch boxes.
    """

    settings = ("default", "stiff")

    def __init__(self, scene: Scene, settings: str) -> None:
        from pydrake.geometry import (
            AddContactMaterial,
            Box,
            CollisionFilterDeclaration,
            GeometrySet,
            ProximityProperties,
            Sphere,
        )
        from pydrake.math import RigidTransform
        from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
        from pydrake.multibody.tree import SpatialInertia, UnitInertia
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder

        self.scene, self.time = scene, 0.0
        builder = DiagramBuilder()
        config = MultibodyPlantConfig(time_step=scene["dt"], contact_model="point", discrete_contact_approximation="lagged")
        self.plant, graph = AddMultibodyPlant(config, builder)
        self.plant.mutable_gravity_field().set_gravity_vector(scene["gravity"])
        self.bodies, solid, round_ = [], GeometrySet(), GeometrySet()
        stiffness = 1e9 if settings == "stiff" else 1e6
        for index, body in enumerate(scene["bodies"]):
            surface = ProximityProperties()
            AddContactMaterial(
                dissipation=0.0,
                point_stiffness=stiffness,
                friction=CoulombFriction(body["mu"], body["mu"]),
                properties=surface,
            )
            surface.AddProperty("material", "relaxation_time", 0.0 if settings == "stiff" else 0.1)
            if body["static"]:
                made, pose = self.plant.world_body(), transform(body)
            else:
                inertia = (
                    UnitInertia.SolidBox(*(2 * h for h in body["half"]))
                    if body["shape"] == "box"
                    else UnitInertia.SolidSphere(body["radius"])
                )
                made = self.plant.AddRigidBody(f"b{index}", SpatialInertia(body["mass"], [0, 0, 0], inertia))
                pose = RigidTransform()
            self.bodies.append(made)
            shape = Box(*(2 * h for h in body["half"])) if body["shape"] == "box" else Sphere(body["radius"])
            geometry = self.plant.RegisterCollisionGeometry(made, pose, shape, f"g{index}", surface)
            (solid if body["shape"] == "box" else round_).Add(geometry)
            if body["shape"] == "box" and not body["static"]:
                radius = 0.05 * min(body["half"])
                for corner in range(8):
                    sign = [1 if corner >> axis & 1 else -1 for axis in range(3)]
                    inset = [0.95 * body["half"][0], 0.95 * body["half"][1], body["half"][2] - radius]
                    place = RigidTransform([s * x for s, x in zip(sign, inset, strict=True)])
                    ball = self.plant.RegisterCollisionGeometry(
                        made, place, Sphere(radius), f"g{index}c{corner}", surface
                    )
                    round_.Add(ball)
        self.plant.Finalize()
        filters = graph.collision_filter_manager()
        filters.Apply(CollisionFilterDeclaration().ExcludeWithin(solid))
        if any(body["shape"] == "box" and not body["static"] for body in scene["bodies"]):
            filters.Apply(CollisionFilterDeclaration().ExcludeWithin(round_))
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        from pydrake.multibody.math import SpatialVelocity

        for body, made in zip(scene["bodies"], self.bodies, strict=True):
            if not body["static"]:
                self.plant.SetFreeBodyPose(self.context, made, transform(body))
                self.plant.SetFreeBodySpatialVelocity(made, SpatialVelocity(body["w"], body["v"]), self.context)
        self.simulator.Initialize()

    def step(self) -> None:
        self.time += self.scene["dt"]
        self.simulator.AdvanceTo(self.time)

    def observe(self) -> tuple[list[list[float]], list[list[float]]]:
        poses, velocities = [], []
        for body, made in zip(self.scene["bodies"], self.bodies, strict=True):
            if body["static"]:
                pose, velocity = fixed_state(body)
            else:
                at = self.plant.EvalBodyPoseInWorld(self.context, made)
                speed = self.plant.EvalBodySpatialVelocityInWorld(self.context, made)
                q = at.rotation().ToQuaternion()
                pose = [*map(float, at.translation()), float(q.w()), float(q.x()), float(q.y()), float(q.z())]
                velocity = [*map(float, speed.translational()), *map(float, speed.rotational())]
            poses.append(pose)
            velocities.append(velocity)
        return poses, velocities

    def contacts(self) -> int | None:
        return None

    @staticmethod
    def version() -> str:
        from importlib.metadata import version

        return version("drake")


def transform(body: dict[str, Any]) -> Any:
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.math import RigidTransform

    return RigidTransform(Quaternion(*body["quat"]), body["pos"])


def conjugate(q: list[float]) -> list[float]:
    return [q[0], -q[1], -q[2], -q[3]]


def rotate(q: list[float], v: list[float]) -> list[float]:
    """v turned by the unit quaternion q."""
    w, x, y, z = q
    cross = [y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]]
    inner = [c + w * a for c, a in zip(cross, v, strict=True)]
    return [
        v[0] + 2 * (y * inner[2] - z * inner[1]),
        v[1] + 2 * (z * inner[0] - x * inner[2]),
        v[2] + 2 * (x * inner[1] - y * inner[0]),
    ]


ENGINES: dict[str, tuple[str, Any]] = {
    "mujoco": ("mujoco", MuJoCo),
    "pybullet": ("pybullet", PyBullet),
    "drake": ("pydrake", Drake),
}


def run(load: Callable[[], Engine], scene: Scene, budget: float) -> dict[str, Any]:
    """Steps to the end, or until `budget` CPU seconds are used or the engine gives up."""
    engine = load()
    frames: list[Frame] = []
    seconds: list[float] = []
    error = None
    every = scene.get("rec", 1)
    for step in range(scene["steps"] + 1):
        if step % every == 0 or step == scene["steps"]:
            poses, velocities = engine.observe()
            frames.append({"step": step, "poses": poses, "velocities": velocities})
        if step == scene["steps"]:
            break
        if sum(seconds) > budget:
            error = f"cut off at step {step} after {budget} s"
            break
        started = time.thread_time()
        try:
            engine.step()
        except Exception as reason:  # An engine that gives up is a result, not a failure of the comparison.
            error = f"step {step}: {str(reason).splitlines()[0][:200]}"
            break
        seconds.append(time.thread_time() - started)
    return {"frames": frames, "seconds": seconds, "contacts": engine.contacts(), "error": error}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--only", default="")
    parser.add_argument("--budget", type=float, default=60.0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    paths = sorted(path for path in arguments.scenes.glob("*.json") if arguments.only in path.name)
    for name in arguments.engines.split(","):
        module, engine = ENGINES[name]
        try:
            importlib.import_module(module)
        except ImportError as reason:
            print(f"{name} is skipped: {reason}", file=sys.stderr)
            continue
        for path in paths:
            scene = json.loads(path.read_text())
            for settings in engine.settings:
                print(f"{name} {settings} {scene['name']}", file=sys.stderr)
                try:
                    result = run(lambda e=engine, s=scene, t=settings: e(s, t), scene, arguments.budget)
                except Exception as reason:
                    print(f"  could not be loaded: {reason}", file=sys.stderr)
                    continue
                result |= {"engine": name, "version": engine.version(), "settings": settings, "scene": scene["name"]}
                target = arguments.out / f"{name}-{settings}-{scene['name']}.json"
                target.write_text(json.dumps(finite(result)))
    return 0


def finite(value: Any) -> Any:
    """JSON has no NaN: a state that is not finite ends in the largest number, which every measure calls fallen."""
    if isinstance(value, float):
        return value if math.isfinite(value) else 1e300
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return value


if __name__ == "__main__":
    sys.exit(main())
