"""What all environments share: one member alone, and many over all processors, with the same bits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .._core import Robot, World
from .._ensemble import Params, advance

Floats = NDArray[np.float64]

ROBOTS = Path(__file__).parent / "robots"
"""Where the robots of the environments are described."""


class Member:
    """One world on its way through an episode."""

    def __init__(self, world: World, robot: Robot | None) -> None:
        self.world = world
        self.robot = robot
        self.goal: Floats = np.zeros(0)
        """Where to, in whatever the task means by it."""
        self.control: Floats = np.zeros(0)
        """What the actuators are told."""
        self.before = 0.0
        """Whatever the reward needs to know from before the action."""

    @property
    def machine(self) -> Robot:
        """The robot, where there is one."""
        if self.robot is None:
            raise TypeError("this task has no robot")
        return self.robot


class Task(ABC):
    """What is to be done: a world, what is seen of it, what an action does, and what it is worth."""

    step: ClassVar[float]
    """Time step [s]."""
    steps_per_action: ClassVar[int]
    observation_space: spaces.Space[Floats]
    action_space: spaces.Space[NDArray[np.float32]]

    @abstractmethod
    def build(self) -> tuple[World, Robot | None]:
        """The world before anything is drawn by lot."""

    @abstractmethod
    def begin(self, member: Member, random: np.random.Generator) -> None:
        """Draws the start and the goal of an episode."""

    @abstractmethod
    def decide(self, member: Member, action: Floats) -> Floats:
        """What acts on the member in the next steps; the action is within [-1, 1]."""

    @abstractmethod
    def act(self, member: Member, decision: Floats) -> None:
        """Lets it act in the next step."""

    @abstractmethod
    def params(self, members: Sequence[Member], decisions: Floats) -> Params:
        """As ``act``, of many members, for ``advance``."""

    @abstractmethod
    def observe(self, member: Member) -> Floats:
        """What is seen."""

    @abstractmethod
    def judge(self, member: Member, observation: Floats, action: Floats) -> tuple[float, bool]:
        """Reward, and whether the episode is over."""


class RobotTask(Task):
    """A task whose actions become controls of a robot's actuators."""

    def act(self, member: Member, decision: Floats) -> None:
        member.machine.set_control(decision)

    def params(self, members: Sequence[Member], decisions: Floats) -> Params:
        # All members are copies of one world, so that the robot of any of them stands for all.
        return {members[0].machine: {"control": decisions}}


class TaskEnv(gymnasium.Env[Floats, NDArray[np.float32]]):
    """One member. State only: there is no rendering, but ``signorini.view(env.unwrapped.world)`` shows the world.

    ``info`` says whether all steps of the action are ``certified``, in how many of them which part of the certificate
    was ``missed``, and the largest ``residual`` [m/s].
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]
    task_class: ClassVar[type[Task]]

    def __init__(self, render_mode: str | None = None) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode: {render_mode!r} is not supported; use signorini.view")
        self.render_mode = None
        self.task = self.task_class()
        self.observation_space = self.task.observation_space
        self.action_space = self.task.action_space
        self._start = self.task.build()
        self.member = _copy(self._start)

    @property
    def world(self) -> World:
        """The world as it is now."""
        return self.member.world

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - part of the interface
    ) -> tuple[Floats, dict[str, Any]]:
        super().reset(seed=seed)
        self.member = _copy(self._start)
        self.task.begin(self.member, self.np_random)
        return self.task.observe(self.member), {}

    def step(self, action: NDArray[np.float32]) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        wanted = _within(action)
        decision = self.task.decide(self.member, wanted)
        residual, missed = 0.0, dict[str, int]()
        for _ in range(self.task.steps_per_action):
            self.task.act(self.member, decision)
            report = self.member.world.step(self.task.step)
            residual = max(residual, report.residual)
            for part in report.misses:
                missed[part.name] = missed.get(part.name, 0) + 1
        observation = self.task.observe(self.member)
        reward, over = self.task.judge(self.member, observation, wanted)
        return observation, reward, over, False, {"certified": not missed, "missed": missed, "residual": residual}


class TaskVectorEnv(VectorEnv[Floats, NDArray[np.float32], NDArray[Any]]):
    """Many members at once, stepped over all processors by ``signorini.advance``.

    Member i of ``reset(seed=s)`` is the environment alone after ``reset(seed=s + i)``, bit for bit; a list gives each
    its own seed. Members whose episode is over begin anew in the next step (Gymnasium's autoreset mode NEXT_STEP).
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP,
    }
    task_class: ClassVar[type[Task]]

    def __init__(self, num_envs: int = 1, max_episode_steps: int = 100, threads: int | None = None) -> None:
        self.num_envs = num_envs
        self.render_mode = None
        self.task = self.task_class()
        self.single_observation_space = self.task.observation_space
        self.single_action_space = self.task.action_space
        self.observation_space = batch_space(self.task.observation_space, num_envs)
        self.action_space = batch_space(self.task.action_space, num_envs)
        self._most_steps = max_episode_steps
        self._threads = threads
        self._start = self.task.build()
        self.members = [_copy(self._start) for _ in range(num_envs)]
        self._randoms = [np.random.default_rng() for _ in range(num_envs)]
        self._elapsed = np.zeros(num_envs, np.int64)
        self._finished = np.zeros(num_envs, np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - part of the interface
    ) -> tuple[Floats, dict[str, Any]]:
        if seed is None or isinstance(seed, int):
            seeds: Sequence[int | None] = [None if seed is None else seed + i for i in range(self.num_envs)]
        else:
            seeds = seed
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {len(seeds)} seeds for {self.num_envs} environments")
        for index, own in enumerate(seeds):
            if own is not None:
                self._randoms[index], _ = gymnasium.utils.seeding.np_random(own)
        for index in range(self.num_envs):
            self._begin(index)
        self._finished[:] = False
        return self._observe(), {}

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        wanted = _within(actions)
        begun = self._finished.copy()
        for index in np.flatnonzero(begun):
            self._begin(int(index))
        moving = np.flatnonzero(~begun)
        residual, missed = np.zeros(self.num_envs), dict[str, NDArray[np.int64]]()
        if moving.size:
            members = [self.members[index] for index in moving]
            decisions = np.stack([self.task.decide(self.members[index], wanted[index]) for index in moving])
            params = self.task.params(members, decisions)
            worlds = [member.world for member in members]
            result = advance(worlds, self.task.steps_per_action, self.task.step, params=params, threads=self._threads)
            if result.errors:
                raise RuntimeError(f"a step was refused: {result.errors}")
            residual[moving] = result.residual
            for part, counts in result.missed.items():
                missed[part] = np.zeros(self.num_envs, np.int64)
                missed[part][moving] = counts
        self._elapsed[moving] += 1
        observation = self._observe()
        reward, over = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
        for index in moving:
            reward[index], over[index] = self.task.judge(self.members[index], observation[index], wanted[index])
        truncated = (self._elapsed >= self._most_steps) & ~over & ~begun
        self._finished = over | truncated
        certified = np.ones(self.num_envs, np.bool_)
        for counts in missed.values():
            certified &= counts == 0
        return observation, reward, over, truncated, {"certified": certified, "missed": missed, "residual": residual}

    def _begin(self, index: int) -> None:
        self.members[index] = _copy(self._start)
        self.task.begin(self.members[index], self._randoms[index])
        self._elapsed[index] = 0

    def _observe(self) -> Floats:
        return np.stack([self.task.observe(member) for member in self.members])


def _copy(start: tuple[World, Robot | None]) -> Member:
    world, robot = start
    copy = world.fork()
    return Member(copy, None if robot is None else robot.within(copy))


def _within(action: NDArray[np.float32]) -> Floats:
    return np.clip(np.asarray(action, np.float64), -1.0, 1.0)


def seen(size: int) -> spaces.Space[Floats]:
    """A space of observations without bounds."""
    return spaces.Box(-np.inf, np.inf, (size,), np.float64)


def done(size: int) -> spaces.Space[NDArray[np.float32]]:
    """A space of actions within [-1, 1]."""
    return spaces.Box(-1.0, 1.0, (size,), np.float32)
