"""Engines that are driven from Python: how each takes a scene, steps it, and tells where its bodies are."""

from __future__ import annotations

import importlib
import math
from typing import Any, Protocol

Scene = dict[str, Any]
Touch = dict[str, Any]


class Engine(Protocol):
    """A scene loaded into an engine."""

    def step(self) -> None: ...

    def observe(self) -> tuple[list[list[float]], list[list[float]]]: ...

    def contacts(self) -> int | None: ...

    def touching(self) -> list[Touch] | None:
        """Contacts of the last step with their impulses, as `signorini audit` reads them; None if it cannot be told."""
        ...

    def close(self) -> None: ...


def touch(a: int | None, b: int | None, point: Any, normal: Any, gap: float, impulse: Any) -> Touch:
    """A contact of the bodies of these indices, None for a body of the world that never moves."""
    vectors = {"point": point, "normal": normal, "impulse": impulse}
    return {"a": a, "b": b, "gap": float(gap)} | {name: [float(x) for x in v] for name, v in vectors.items()}


def fixed_state(body: dict[str, Any]) -> tuple[list[float], list[float]]:
    return [*body["pos"], *body["quat"]], [0.0] * 6


class MuJoCo:
    """MuJoCo. `default`: as it comes (pyramidal cone). `elliptic`: its elliptic cone, else as it comes.

    `stiff`: elliptic cone, constant impedance 0.9999, time constant two steps, impratio 100, at most 100
    Newton iterations to 1e-10.

    It has no restitution. Where a scene asks for e > 0, `stiff` uses a spring of ten steps' contact time whose damping
    gives e: -k r - b v with k = wn^2, b = 2 zeta wn, zeta = -ln e / sqrt(pi^2 + ln^2 e).
    """

    settings = ("default", "elliptic", "stiff")

    def __init__(self, scene: Scene, settings: str) -> None:
        import mujoco

        self.mujoco, self.scene = mujoco, scene
        stiff = settings == "stiff"
        dt = scene["dt"]
        option = f'timestep="{dt}" gravity="{" ".join(map(str, scene["gravity"]))}"'
        if settings == "elliptic":
            option += ' cone="elliptic"'
        if stiff:
            option += ' cone="elliptic" impratio="100" iterations="100" tolerance="1e-10"'
        bounce = max(body["e"] for body in scene["bodies"])
        solver = f'solref="{bouncing(bounce, dt) if bounce > 0 else f"{2 * dt} 1"}" ' if stiff else ""
        solver += 'solimp="0.9999 0.9999 0.001 0.5 2"' if stiff else ""
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

    def touching(self) -> list[Touch]:
        # One geometry per body: their numbers are those of the scene. mj_step finds contacts first and moves last, so
        # these are the contacts at the start of the step. A force is on the second geometry, in the contact's frame.
        import numpy

        force, dt, out = numpy.zeros(6), self.scene["dt"], []
        for index in range(self.data.ncon):
            contact = self.data.contact[index]
            self.mujoco.mj_contactForce(self.model, self.data, index, force)
            axes = contact.frame.reshape(3, 3)
            out.append(
                touch(contact.geom1, contact.geom2, contact.pos, axes[0], contact.dist, dt * (axes.T @ force[:3]))
            )
        return out

    def close(self) -> None:
        pass

    @staticmethod
    def version() -> str:
        return str(importlib.import_module("mujoco").__version__)


def bouncing(e: float, dt: float) -> str:
    """MuJoCo's direct solref of a spring that gives back e of the speed after ten steps."""
    damping = -math.log(e) / math.hypot(math.pi, math.log(e))
    own = math.pi / (10 * dt) / math.sqrt(1 - damping**2)
    return f"{-(own**2)} {-2 * damping * own}"


class PyBullet:
    """Bullet through pybullet. `default`: 50 iterations, as it comes. `it200`: 200 iterations. `sub8`: 8 substeps."""

    settings = ("default", "it200", "sub8")

    def __init__(self, scene: Scene, settings: str) -> None:
        import pybullet

        self.bullet, self.scene, self.substeps = pybullet, scene, settings == "sub8"
        self.client = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*scene["gravity"], physicsClientId=self.client)
        iterations = 200 if settings == "it200" else 50
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=scene["dt"],
            numSolverIterations=iterations,
            numSubSteps=8 if settings == "sub8" else 0,
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
        return len(self.bullet.getContactPoints(physicsClientId=self.client))

    def touching(self) -> list[Touch] | None:
        if self.substeps:
            return None  # The forces it tells are those of the last substep alone.
        place, dt, out = {made: index for index, made in enumerate(self.bodies)}, self.scene["dt"], []
        for point in self.bullet.getContactPoints(physicsClientId=self.client):
            _, first, second, _, _, on_first, on_second, normal, gap, push, slide, along, slide2, along2 = point
            impulse = [dt * (push * n + slide * t + slide2 * u) for n, t, u in zip(normal, along, along2, strict=True)]
            middle = [0.5 * (p + q) for p, q in zip(on_first, on_second, strict=True)]
            # The normal is on the second body and the forces are on the first.
            out.append(touch(place[second], place[first], middle, normal, gap, impulse))
        return out

    def close(self) -> None:
        self.bullet.disconnect(physicsClientId=self.client)

    @staticmethod
    def version() -> str:
        from importlib.metadata import version

        return version("pybullet")


class Drake:
    """Drake's discrete plant with point contact. `default`: lagged, and the compliance that Drake gives by itself:
    1e6 N/m, 50 s/m of Hunt and Crossley's dissipation. `stiff`: 1e9 N/m.

    Drake's point contact gives one point per pair, on which no box can stand: boxes carry eight small balls just inside
    their corners that touch the other bodies' boxes, and boxes do not touch boxes. The balls stand out by a nanometre:
    what touches without overlap is no contact to Drake, and a stack would fall for one step.
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
        config = MultibodyPlantConfig(
            time_step=scene["dt"], contact_model="point", discrete_contact_approximation="lagged"
        )
        self.plant, graph = AddMultibodyPlant(config, builder)
        self.plant.mutable_gravity_field().set_gravity_vector(scene["gravity"])
        self.bodies, solid, round_ = [], GeometrySet(), GeometrySet()
        stiffness = 1e9 if settings == "stiff" else 1e6
        for index, body in enumerate(scene["bodies"]):
            surface = ProximityProperties()
            AddContactMaterial(
                dissipation=50.0,
                point_stiffness=stiffness,
                friction=CoulombFriction(body["mu"], body["mu"]),
                properties=surface,
            )
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
                    inset = [0.95 * body["half"][0], 0.95 * body["half"][1], body["half"][2] - radius + 1e-9]
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
                self.plant.SetFreeBodySpatialVelocity(
                    context=self.context, body=made, V_JpJc=SpatialVelocity(body["w"], body["v"])
                )
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

    def results(self) -> Any:
        return self.plant.get_contact_results_output_port().Eval(self.context)

    def contacts(self) -> int:
        return int(self.results().num_point_pair_contacts())

    def touching(self) -> list[Touch]:
        place = {made.index(): index for index, made in enumerate(self.bodies) if made is not self.plant.world_body()}
        results, dt, out = self.results(), self.scene["dt"], []
        for index in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(index)
            pair = info.point_pair()
            a, b = place.get(info.bodyA_index()), place.get(info.bodyB_index())
            out.append(touch(a, b, info.contact_point(), -pair.nhat_BA_W, -pair.depth, dt * info.contact_force()))
        return out

    def close(self) -> None:
        pass

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
