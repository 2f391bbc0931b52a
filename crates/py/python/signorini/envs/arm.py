"""Three tasks for an arm of seven hinges with two fingers: reach a point, push a box, pick a box up and place it.

The arm is described in ``robots/arm.xml``. Its joints are held by servos; actions move what the servos are told.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .._core import Robot, Shape, World
from ._task import ROBOTS, Floats, Member, RobotTask, TaskEnv, TaskVectorEnv, done, seen

HINGES = 7
OPEN, SHUT = 0.04, -0.02
"""What the fingers are told [m]: shut is further than they can go, so that they press with their greatest force."""
TIP = "tip"
"""The frame between the fingers."""
DOWN, ALONG = np.array([0.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.0])
"""Where the hand points and what its fingers move along, where it is kept so."""


class ArmTask(RobotTask):
    """An arm on a floor."""

    step: ClassVar[float] = 0.01
    steps_per_action: ClassVar[int] = 5

    def build(self) -> tuple[World, Robot | None]:
        world = World()
        world.add(Shape.half_space((0, 0, 1)), kind="fixed", friction=0.5, name="floor")
        robot = world.add_robot(ROBOTS / "arm.xml", self_collision=False)
        return world, robot

    def begin(self, member: Member, random: np.random.Generator) -> None:
        del random
        member.control = member.machine.control

    def turn(self, member: Member, by: Floats) -> Floats:
        """Moves what the servos of the hinges are told by some angles [rad], within the limits of the joints."""
        robot = member.machine
        wanted = member.control[:HINGES] + by
        member.control[:HINGES] = np.clip(wanted, robot.lower[:HINGES], robot.upper[:HINGES])
        told: Floats = member.control.copy()
        return told

    def move_tip(self, member: Member, by: Floats) -> Floats:
        """Moves the tip by a vector [m] and keeps the hand pointing down with the fingers along y.

        The least angles that do so, damped near postures where no small angles do: J⁺ = Jᵀ(J Jᵀ + λ²)⁻¹.
        """
        robot = member.machine
        _, quaternion = robot.pose(TIP)
        # Two axes of the hand, and the turns that take them where they should be; half of each, for they overlap.
        down, along = rotated(quaternion, np.array([0.0, 0.0, 1.0])), rotated(quaternion, ALONG)
        turn = 0.5 * (np.cross(down, DOWN) + np.cross(along, ALONG))
        twist = np.concatenate([by, turn])
        jacobian = robot.jacobian(TIP)[:, :HINGES]
        angles = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-4 * np.eye(6), twist)
        return self.turn(member, np.clip(angles, -0.1, 0.1))


def rotated(quaternion: Floats, vector: Floats) -> Floats:
    """A vector turned by a quaternion (w, x, y, z)."""
    w, axis = quaternion[0], quaternion[1:]
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + w * vector)


class ReachTask(ArmTask):
    """The tip is to be at a point."""

    most_turn: ClassVar[float] = 0.08
    """What action 1 means [rad]."""
    close: ClassVar[float] = 0.03
    """Distance that counts as arrived [m]."""

    def __init__(self) -> None:
        self.observation_space = seen(4 * HINGES - 1)
        self.action_space = done(HINGES)

    def begin(self, member: Member, random: np.random.Generator) -> None:
        super().begin(member, random)
        # Points that the arm reaches: on arcs about its base, in front of it and above the floor.
        angle, distance = random.uniform(-1.2, 1.2), random.uniform(0.3, 0.55)
        member.goal = np.array([distance * np.cos(angle), distance * np.sin(angle), random.uniform(0.15, 0.5)])

    def decide(self, member: Member, action: Floats) -> Floats:
        return self.turn(member, self.most_turn * action)

    def observe(self, member: Member) -> Floats:
        robot = member.machine
        tip, _ = robot.pose(TIP)
        told = member.control[:HINGES]
        return np.concatenate([robot.q[:HINGES], robot.qd[:HINGES], told, tip, member.goal - tip])

    def judge(
        self,
        member: Member,  # noqa: ARG002 - part of the interface
        observation: Floats,
        action: Floats,  # noqa: ARG002 - part of the interface
    ) -> tuple[float, bool]:
        distance = float(np.linalg.norm(observation[-3:]))
        arrived = distance < self.close
        return (10.0 if arrived else -distance * self.step * self.steps_per_action), arrived


class BoxTask(ArmTask):
    """A box on the floor is to be somewhere else."""

    half: ClassVar[tuple[float, float, float]]
    """Half extents of the box [m]."""
    mass: ClassVar[float]
    """[kg]."""
    most_move: ClassVar[float] = 0.015
    """What action 1 means along an axis [m]."""
    close: ClassVar[float]
    """Distance of the box from the goal that counts as arrived [m]."""
    scale: ClassVar[float]
    """What a metre of distance takes off the reward in a second."""

    def build(self) -> tuple[World, Robot | None]:
        world, robot = super().build()
        world.add(Shape.cuboid(self.half), mass=self.mass, friction=0.5, position=(0.45, 0, self.half[2]), name="box")
        return world, robot

    def observe(self, member: Member) -> Floats:
        robot, box = member.machine, member.world["box"]
        tip, _ = robot.pose(TIP)
        state = [robot.q, robot.qd, tip, box.position, box.orientation, box.velocity]
        return np.concatenate([*state, box.position - tip, member.goal - box.position])

    def judge(
        self,
        member: Member,  # noqa: ARG002 - part of the interface
        observation: Floats,
        action: Floats,  # noqa: ARG002 - part of the interface
    ) -> tuple[float, bool]:
        to_box, to_goal = float(np.linalg.norm(observation[-6:-3])), float(np.linalg.norm(observation[-3:]))
        arrived = to_goal < self.close
        cost = self.scale * (to_goal + 0.2 * to_box) * self.step * self.steps_per_action
        return (10.0 if arrived else -cost), arrived


BOX_OBSERVATION = 2 * (HINGES + 2) + 3 + 3 + 4 + 3 + 3 + 3


class ArmPushTask(BoxTask):
    """The box is pushed over the floor, the fingers shut."""

    half: ClassVar[tuple[float, float, float]] = (0.04, 0.04, 0.04)
    mass: ClassVar[float] = 0.5
    close: ClassVar[float] = 0.02
    scale: ClassVar[float] = 1.0

    def __init__(self) -> None:
        self.observation_space = seen(BOX_OBSERVATION)
        self.action_space = done(3)

    def begin(self, member: Member, random: np.random.Generator) -> None:
        super().begin(member, random)
        member.control[HINGES:] = 0.0
        robot = member.machine
        q = robot.q
        q[HINGES:] = 0.0
        robot.q = q
        place = np.array([random.uniform(0.4, 0.45), random.uniform(-0.08, 0.08), self.half[2]])
        member.world["box"].position = place
        member.goal = place + np.array([random.uniform(0.06, 0.12), random.uniform(-0.04, 0.04), 0.0])

    def decide(self, member: Member, action: Floats) -> Floats:
        return self.move_tip(member, self.most_move * action)


class PickAndPlaceTask(BoxTask):
    """The box is picked up and held at a point in the air."""

    half: ClassVar[tuple[float, float, float]] = (0.02, 0.02, 0.025)
    mass: ClassVar[float] = 0.2
    close: ClassVar[float] = 0.02
    scale: ClassVar[float] = 1.0

    def __init__(self) -> None:
        self.observation_space = seen(BOX_OBSERVATION)
        self.action_space = done(4)

    def begin(self, member: Member, random: np.random.Generator) -> None:
        super().begin(member, random)
        place = np.array([random.uniform(0.35, 0.5), random.uniform(-0.12, 0.12), self.half[2]])
        member.world["box"].position = place
        up = np.array([random.uniform(-0.1, 0.05), random.uniform(-0.1, 0.1), random.uniform(0.1, 0.2)])
        member.goal = place + up

    def decide(self, member: Member, action: Floats) -> Floats:
        member.control[HINGES:] = OPEN if action[3] > 0.0 else SHUT
        return self.move_tip(member, self.most_move * action[:3])


class Reach(TaskEnv):
    """The tip of the arm is to be within 3 cm of a point.

    Observation (27): angles [rad], rates [rad/s] and what the servos are told [rad] of the seven hinges, the tip [m],
    the goal minus the tip [m]. Action (7): changes of what the servos are told, 1 means 0.08 rad. Reward: minus the
    distance times the time, and 10 on arrival, which ends the episode.
    """

    task_class = ReachTask


class ArmPush(TaskEnv):
    """A box of 8 cm and 0.5 kg is to be pushed over the floor to within 2 cm of a place.

    Observation (37): coordinates [rad, m] and rates of seven hinges and two fingers, tip [m], box [m], its quaternion
    (w, x, y, z) and velocity [m/s], box minus tip [m], goal minus box [m]. Action (3): a displacement of the tip, 1
    means 15 mm; the hand is kept pointing down. Reward: minus the distance of the box from the goal and a fifth of that
    of the tip from the box, times the time, and 10 on arrival, which ends the episode.
    """

    task_class = ArmPushTask


class PickAndPlace(TaskEnv):
    """A box of 4 × 4 × 5 cm and 0.2 kg is to be picked up and held within 2 cm of a point in the air.

    Observation (37) and reward as in ``ArmPush``. Action (4): a displacement of the tip, 1 means 15 mm, and the
    fingers, which open above 0 and shut below, with 30 N each.
    """

    task_class = PickAndPlaceTask


class ReachVector(TaskVectorEnv):
    """Many of them."""

    task_class = ReachTask


class ArmPushVector(TaskVectorEnv):
    """Many of them."""

    task_class = ArmPushTask


class PickAndPlaceVector(TaskVectorEnv):
    """Many of them."""

    task_class = PickAndPlaceTask
