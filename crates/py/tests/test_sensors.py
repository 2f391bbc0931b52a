"""Sensors of robots and controls by name, from Python.

Closed forms are in crates/engine/tests/physics/robot_sensors.rs.
"""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.envs import ROBOTS

WEIGHT = 9.81 * (6.0 + 4 * (0.5 + 0.2 + 0.05))


def standing() -> tuple[sg.World, sg.Robot]:
    world = sg.World()
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", friction=0.8, name="floor")
    robot = world.add_robot(ROBOTS / "quadruped.xml")
    for _ in range(400):
        assert world.step(0.005).certified
    return world, robot


def test_a_quadruped_stands_and_its_sensors_say_so() -> None:
    world, robot = standing()
    imu = robot.imu("torso", (0.1, 0, 0))
    world.step(0.005)
    acceleration, angular_velocity = imu.read()
    assert np.linalg.norm(acceleration) == pytest.approx(9.81, abs=1e-3)
    assert np.linalg.norm(angular_velocity) < 1e-3
    forces = robot.contact_forces
    assert forces.shape == (len(robot.links), 3)
    assert forces[:, 2].sum() == pytest.approx(WEIGHT, rel=1e-3)
    assert set(np.flatnonzero(forces[:, 2])) == {robot.links.index(name) for name in robot.links if "shank" in name}
    # Held by servos of known gain: torque = kp (told − angle) at rest.
    hinges = slice(robot.v_index("front_left_hip"), None)
    expected = 80.0 * (robot.control - robot.q[7:])
    assert np.abs(robot.actuator_forces[hinges] - expected).max() < 0.05
    assert set(robot.joint_forces) == {"motor", "given", "limit", "friction", "spring", "armature", "gear"}
    assert (robot.joint_forces["limit"] == 0).all()


def test_actuators_are_reached_by_name() -> None:
    world, robot = standing()
    told = robot.control
    assert robot.control_ranges.shape == (8, 2)
    robot.set_control({"front_left_knee": -1.0, "back_right_hip": 0.5})
    told[robot.actuators.index("front_left_knee")] = -1.0
    told[robot.actuators.index("back_right_hip")] = 0.5
    assert (robot.control == told).all()
    with pytest.raises(KeyError, match="no actuator is called 'tail'"):
        robot.set_control({"tail": 1.0})
    with pytest.raises(TypeError, match=r"control\['front_left_hip'\]: expected a number"):
        robot.set_control({"front_left_hip": "up"})  # type: ignore[dict-item]
    assert (robot.control == told).all()
    # The same robot in a copy of its world has its own controls and the same future.
    other = world.fork()
    twin = robot.within(other)
    robot.set_control(told)
    twin.set_control(told)
    for _ in range(5):
        assert world.step(0.005).certified
        other.step(0.005)
    assert world.state_hash == other.state_hash
    assert (twin.q == robot.q).all()
    with pytest.raises(sg.HandleError):
        robot.within(sg.World())


def test_robots_are_rolled_out() -> None:
    world, robot = standing()
    members, steps = 3, 20
    told = robot.control
    controls = np.tile(told, (members, steps, 1))
    controls[1, 10:] += 0.1
    result = sg.rollout(world, {robot: {"control": controls}}, steps, dt=0.005, threads=2)
    assert result.hashes[0] == result.hashes[2]
    assert result.hashes[0] != result.hashes[1]
    alone = world.fork()
    twin = robot.within(alone)
    for step in range(steps):
        twin.set_control(controls[1, step])
        alone.step(0.005)
    assert alone.state_hash == result.hashes[1]
    # Starts that differ: coordinates and rates.
    q, qd = np.tile(robot.q, (2, 1)), np.zeros((2, robot.nv))
    q[1, 2] += 0.3
    started = sg.rollout(world, {robot: {"q": q, "qd": qd}}, 1, dt=0.005)
    torso = started.positions[:, started.body("torso"), 2]
    assert torso[1] - torso[0] == pytest.approx(0.3, abs=1e-3)
    with pytest.raises(ValueError, match="'velocity' is none of q, qd, tau, control"):
        sg.rollout(world, {robot: {"velocity": [0, 0, 0]}}, 1)
    with pytest.raises(ValueError, match=r"control of robot 'quadruped': expected shape \[1, 8\]"):
        sg.rollout(world, {robot: {"control": np.zeros((1, 7))}}, 1)
    with pytest.raises(sg.HandleError):
        sg.rollout(sg.World(), {robot: {"control": np.zeros((1, 8))}}, 1)
