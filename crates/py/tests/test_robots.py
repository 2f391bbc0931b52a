"""Robots: vectors in and out, agreement with MuJoCo, and the files of other people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import robot_files

import signorini as sg

ARM = """<mujoco model="arm">
  <compiler angle="radian"/>
  <default><joint axis="0 1 0" damping="0.2"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="torso" pos="0 0 2">
      <freejoint name="root"/>
      <geom type="box" size="0.2 0.1 0.3"/>
      <body name="upper" pos="0 0.2 0.2" euler="0.1 0.2 0.3">
        <joint name="shoulder_x" axis="1 0 0"/>
        <joint name="shoulder_y" range="-1.5 1.5" armature="0.03"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04"/>
        <body name="lower" pos="0.3 0 0">
          <joint name="elbow" type="ball"/>
          <geom type="ellipsoid" size="0.1 0.03 0.05" pos="0.1 0 0"/>
          <body name="slider" pos="0.2 0 0">
            <joint name="extend" type="slide" axis="1 0 0" ref="0.1"/>
            <geom type="cylinder" size="0.02 0.1" axisangle="0 1 0 0.5"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><position name="hold" joint="shoulder_y" kp="40" kv="4"/></actuator>
</mujoco>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return path


def test_vectors_go_in_and_come_out(arm: Path) -> None:
    world = sg.World()
    robot = world.add_robot(arm, prefix="a/")
    assert (robot.name, robot.nq, robot.nv, robot.nu) == ("arm", 14, 12, 1)
    assert robot.joints == ["root", "shoulder_x", "shoulder_y", "elbow", "extend"]
    assert robot.links == ["torso", "upper", "lower", "slider"]
    assert (robot.q_index("elbow"), robot.v_index("extend")) == (9, 11)
    assert robot.body("upper").name == "a/upper"
    rng = np.random.default_rng(1)
    q = robot.home + 0.3 * rng.standard_normal(robot.nq)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[9:13] /= np.linalg.norm(q[9:13])
    qd = rng.standard_normal(robot.nv)
    robot.q, robot.qd = q, qd
    # A quaternion and its opposite are one turn.
    found = robot.q
    for part in (slice(3, 7), slice(9, 13)):
        found[part] *= np.sign(found[part] @ q[part])
    assert np.abs(found - q).max() < 1e-14
    assert np.abs(robot.qd - qd).max() < 1e-13
    velocity = robot.jacobian("slider", (0.1, 0.2, 0.3)) @ qd
    assert np.abs(velocity[3:] - robot.body("slider").angular_velocity).max() < 1e-12
    assert robot.upper[robot.v_index("shoulder_y")] == 1.5
    assert np.isinf(robot.lower[0])
    tau = np.zeros(robot.nv)
    tau[7] = 0.5
    robot.tau = tau
    assert (robot.tau == tau).all()
    robot.set_control([0.2])
    assert world.step(1 / 240).status == "certified"
    for wrong in (q[:-1], np.full(robot.nq, np.nan)):
        with pytest.raises(sg.WorldError):
            robot.q = wrong
    with pytest.raises(KeyError):
        robot.jacobian("nobody")


def test_what_is_wrong_is_said_with_its_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.xml"
    bad.write_text(ARM.replace('size="0.04"', 'size="thin"'))
    with pytest.raises(sg.SceneError, match=r"bad\.xml:12:\d+: .*'thin' is not a finite number"):
        sg.World().add_robot(bad)


def agrees_with_mujoco(path: Path, root: Path) -> None:
    """Poses, mass matrix and forces of a model against those of MuJoCo, to 1e-9 of their size."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: nothing to compare with")
    world = sg.World()
    robot = world.add_robot(path, roots=[root])
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    world.settings = world.settings.replace(gravity=model.opt.gravity)
    assert (model.nq, model.nv) == (robot.nq, robot.nv)
    rng = np.random.default_rng(2)
    q = robot.home + 0.2 * rng.standard_normal(robot.nq)
    for joint in range(model.njnt):
        start = model.jnt_qposadr[joint] + {0: 3, 1: 0}.get(int(model.jnt_type[joint]), -1)
        if model.jnt_type[joint] < 2:
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    qd, qdd = rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
    robot.q, robot.qd = q, qd
    data.qpos, data.qvel, data.qacc = robot.q, robot.qd, qdd
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    forces = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 1, forces)
    matrix = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, matrix, data.qM)
    except (AttributeError, TypeError):
        mujoco.mj_fullM(model, data, matrix)
    armature = np.zeros(model.nv) + model.dof_armature
    found = robot.mass_matrix()
    assert np.abs(found - matrix).max() <= 1e-9 * np.abs(matrix).max()
    expected = forces + armature * qdd
    assert np.abs(robot.inverse_dynamics(qdd) - expected).max() <= 1e-9 * max(1.0, np.abs(expected).max())
    for body in range(1, model.nbody):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)
        if name in robot.frames:
            assert np.abs(robot.pose(name)[0] - data.xpos[body]).max() < 1e-9


def test_an_arm_agrees_with_mujoco(arm: Path) -> None:
    agrees_with_mujoco(arm, arm.parent)


def test_models_of_gymnasium_agree_with_mujoco() -> None:
    found = robot_files.gymnasium_files()
    if found is None:
        pytest.skip("gymnasium is not installed: its models are left out")
    root, files = found
    assert files
    for path in files:
        agrees_with_mujoco(path, root)


@pytest.mark.parametrize("source", list(robot_files.SOURCES))
def test_robots_of_other_people_stand_or_fall_certified(source: str) -> None:
    outcomes = robot_files.try_all(source)
    if outcomes is None:
        pytest.skip(f"{source} is not installed and cannot be had: its robots are left out")
    table = list(outcomes)
    failed = [outcome for outcome in table if outcome.failed]
    print(f"{source}: file, certified steps, largest gap [m], loads", *table, sep="\n")
    assert 10 * len(failed) <= len(table), "\n".join(map(str, failed))
