"""A quadruped is to walk forward without falling. It is described in ``robots/quadruped.xml``."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .._core import Robot, Shape, World
from ._task import ROBOTS, Floats, Member, RobotTask, TaskEnv, TaskVectorEnv, done, seen

HINGES = 8
FEET = ("front_left_shank", "front_right_shank", "back_left_shank", "back_right_shank")
LOWEST = 0.15
"""Height of the torso below which it has fallen [m]."""
MOST_TILT = 1.0
"""Turn away from upright from which it has fallen [rad]."""


class QuadrupedTask(RobotTask):
    """Eight hinges held by servos on a rough floor."""

    step: ClassVar[float] = 0.005
    steps_per_action: ClassVar[int] = 4
    most_turn: ClassVar[float] = 0.5
    """What action 1 means: how far from the stance the servos are told to be [rad]."""
    effort_cost: ClassVar[float] = 0.05
    """What a second of full actions takes off the reward."""

    def __init__(self) -> None:
        self.observation_space = seen(1 + 3 + HINGES + 6 + HINGES + len(FEET))
        self.action_space = done(HINGES)

    def build(self) -> tuple[World, Robot | None]:
        world = World()
        world.add(Shape.half_space((0, 0, 1)), kind="fixed", friction=0.8, name="floor")
        return world, world.add_robot(ROBOTS / "quadruped.xml", self_collision=False)

    def begin(self, member: Member, random: np.random.Generator) -> None:
        robot = member.machine
        q = robot.q
        # Legs a little off the stance, and as much higher as that can lift a foot's reach.
        q[7:] += random.uniform(-0.05, 0.05, HINGES)
        q[2] += 0.02
        robot.q = q
        member.control = robot.control
        member.before = float(robot.q[0])

    def decide(self, member: Member, action: Floats) -> Floats:
        member.before = float(member.machine.q[0])
        return member.control + self.most_turn * action

    def observe(self, member: Member) -> Floats:
        robot = member.machine
        q, qd = robot.q, robot.qd
        w, x, y, z = q[3:7]
        # Up in the axes of the torso: the last row of its rotation.
        up = [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
        forces = robot.contact_forces
        feet = [forces[robot.links.index(foot), 2] for foot in FEET]
        return np.concatenate([q[2:3], up, q[7:], qd, feet])

    def judge(self, member: Member, observation: Floats, action: Floats) -> tuple[float, bool]:
        time = self.step * self.steps_per_action
        forward = float(member.machine.q[0]) - member.before
        fallen = bool(observation[0] < LOWEST or observation[3] < np.cos(MOST_TILT))
        return forward + time - self.effort_cost * time * float(np.mean(np.square(action))), fallen


class Quadruped(TaskEnv):
    """A quadruped of two hinges a leg and 9 kg is to walk along x.

    Observation (30): height of the torso [m], the direction up in its axes, eight angles [rad], velocity of the torso
    [m/s] and its angular velocity in its own axes [rad/s], eight rates [rad/s], and the upward force on each foot [N].
    Action (8): how far from the stance the servos are told to be, 1 means 0.5 rad. Reward: metres forward, seconds
    upright, less a little for large actions. A fall ends the episode.
    """

    task_class = QuadrupedTask


class QuadrupedVector(TaskVectorEnv):
    """Many of them."""

    task_class = QuadrupedTask
