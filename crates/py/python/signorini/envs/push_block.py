"""Push a block over a rough floor to a target, by a force on its centre.

The force can be up to twice what friction holds, so that a weak push does nothing at all: real stiction, which methods
that smooth friction do not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from .._core import Robot, Shape, World
from .._ensemble import Params
from ._task import Floats, Member, Task, TaskEnv, TaskVectorEnv, done, seen

MASS = 1.0
"""[kg]."""
FRICTION = 0.5
GRAVITY = 9.81
"""[m/s²]."""
MOST_FORCE = 2.0 * FRICTION * MASS * GRAVITY
"""What action 1 means along an axis [N]."""
ARENA = 1.0
"""Half width of the square in which targets lie [m]."""
CLOSE = 0.05
"""Distance that counts as arrived, and speed [m/s] that counts as at rest."""
HALF_SIZE = 0.1
"""Of the block [m]."""


class PushBlockTask(Task):
    """A block and a floor."""

    step: ClassVar[float] = 0.01
    steps_per_action: ClassVar[int] = 5

    def __init__(self) -> None:
        self.observation_space = seen(6)
        self.action_space = done(2)

    def build(self) -> tuple[World, Robot | None]:
        world = World(gravity=(0.0, 0.0, -GRAVITY))
        world.add(Shape.half_space((0, 0, 1)), kind="fixed", friction=FRICTION, name="floor")
        half = (HALF_SIZE, HALF_SIZE, HALF_SIZE)
        world.add(Shape.cuboid(half), mass=MASS, friction=FRICTION, position=(0, 0, HALF_SIZE), name="block")
        return world, None

    def begin(self, member: Member, random: np.random.Generator) -> None:
        member.goal = random.uniform(-ARENA, ARENA, 2)

    def decide(self, member: Member, action: Floats) -> Floats:  # noqa: ARG002 - part of the interface
        return np.array([MOST_FORCE * action[0], MOST_FORCE * action[1], 0.0])

    def act(self, member: Member, decision: Floats) -> None:
        member.world["block"].add_force(decision)

    def params(self, members: Sequence[Member], decisions: Floats) -> Params:  # noqa: ARG002 - part of the interface
        return {"block": {"force": decisions}}

    def observe(self, member: Member) -> Floats:
        block = member.world["block"]
        return np.concatenate([member.goal - block.position[:2], block.velocity[:2], member.goal])

    def judge(
        self,
        member: Member,  # noqa: ARG002 - part of the interface
        observation: Floats,
        action: Floats,  # noqa: ARG002 - part of the interface
    ) -> tuple[float, bool]:
        distance = float(np.linalg.norm(observation[0:2]))
        speed = float(np.linalg.norm(observation[2:4]))
        arrived = distance < CLOSE and speed < CLOSE
        return (10.0 if arrived else -distance * self.step * self.steps_per_action), arrived


class PushBlock(TaskEnv):
    """One block, one target.

    Observation: target minus block (x, y) [m], velocity (x, y) [m/s], target (x, y) [m]. Action: force (x, y) in units
    of twice the friction. Reward: minus the distance times the time, and 10 on arrival, which ends the episode.
    """

    task_class = PushBlockTask


class PushBlockVector(TaskVectorEnv):
    """Many of them."""

    task_class = PushBlockTask
