"""Push a block over a rough floor to a target, by a force on its centre.

The force can be up to twice what friction holds, so that a weak push does nothing at all: real stiction, which methods
that smooth friction do not have.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .._core import Shape, World
from .._ensemble import advance

MASS = 1.0
"""[kg]."""
FRICTION = 0.5
GRAVITY = 9.81
"""[m/s²]."""
MOST_FORCE = 2.0 * FRICTION * MASS * GRAVITY
"""What action 1 means along an axis [N]."""
STEP = 0.01
"""[s]."""
STEPS_PER_ACTION = 5
ARENA = 1.0
"""Half width of the square in which targets lie [m]."""
CLOSE = 0.05
"""Distance that counts as arrived, and speed [m/s] that counts as at rest."""
HALF_SIZE = 0.1
"""Of the block [m]."""

_OBSERVATION = spaces.Box(-np.inf, np.inf, (6,), np.float64)
_ACTION = spaces.Box(-1.0, 1.0, (2,), np.float32)


def _make_world() -> World:
    world = World(gravity=(0.0, 0.0, -GRAVITY))
    world.add(Shape.half_space((0, 0, 1)), kind="fixed", friction=FRICTION, name="floor")
    half = (HALF_SIZE, HALF_SIZE, HALF_SIZE)
    world.add(Shape.cuboid(half), mass=MASS, friction=FRICTION, position=(0, 0, HALF_SIZE), name="block")
    return world


def _observe(
    position: NDArray[np.float64], velocity: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Where the target is from the block, how fast the block is, and where the target is; last axis 6."""
    return np.concatenate([target - position[..., :2], velocity[..., :2], target], axis=-1)


def _judge(observation: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Reward and whether the block has arrived and rests."""
    distance = np.linalg.norm(observation[..., 0:2], axis=-1)
    speed = np.linalg.norm(observation[..., 2:4], axis=-1)
    arrived = (distance < CLOSE) & (speed < CLOSE)
    return np.where(arrived, 10.0, -distance * STEP * STEPS_PER_ACTION), arrived


class PushBlock(gymnasium.Env[NDArray[np.float64], NDArray[np.float32]]):
    """One block, one target.

    Observation: target minus block (x, y) [m], velocity (x, y) [m/s], target (x, y) [m]. Action: force (x, y) in units
    of twice the friction. Reward: minus the distance times the time, and 10 on arrival, which ends the episode.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self, render_mode: str | None = None) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode: {render_mode!r} is not supported; use signorini.view")
        self.render_mode = None
        self.observation_space = _OBSERVATION
        self.action_space = _ACTION
        self._start = _make_world()
        self._world = self._start.fork()
        self._target = np.zeros(2)

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - part of the interface
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        super().reset(seed=seed)
        self._world = self._start.fork()
        self._target = self.np_random.uniform(-ARENA, ARENA, 2)
        return self._observation(), {}

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float64], float, bool, bool, dict[str, Any]]:
        force = np.zeros(3)
        force[:2] = MOST_FORCE * np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        block = self._world["block"]
        residual = 0.0
        for _ in range(STEPS_PER_ACTION):
            block.add_force(force)
            residual = max(residual, self._world.step(STEP).residual)
        observation = self._observation()
        reward, arrived = _judge(observation)
        return observation, float(reward), bool(arrived), False, {"residual": residual}

    def _observation(self) -> NDArray[np.float64]:
        block = self._world["block"]
        return _observe(block.position, block.velocity, self._target)


class PushBlockVector(VectorEnv[NDArray[np.float64], NDArray[np.float32], NDArray[Any]]):
    """Many blocks at once, stepped over all processors by ``signorini.advance``.

    Each has the same future as a ``PushBlock`` with the same target and actions, bit for bit. Arrived or timed-out
    members begin anew in the next step (Gymnasium's autoreset mode NEXT_STEP).
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP,
    }

    def __init__(self, num_envs: int = 1, max_episode_steps: int = 100, threads: int | None = None) -> None:
        self.num_envs = num_envs
        self.render_mode = None
        self.single_observation_space = _OBSERVATION
        self.single_action_space = _ACTION
        self.observation_space = batch_space(_OBSERVATION, num_envs)
        self.action_space = batch_space(_ACTION, num_envs)
        self._most_steps = max_episode_steps
        self._threads = threads
        self._start = _make_world()
        self._worlds = [self._start.fork() for _ in range(num_envs)]
        self._targets = np.zeros((num_envs, 2))
        self._elapsed = np.zeros(num_envs, np.int64)
        self._finished = np.zeros(num_envs, np.bool_)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - part of the interface
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        if isinstance(seed, list):
            raise ValueError("seed: one for all environments")
        super().reset(seed=seed)
        self._begin(np.arange(self.num_envs))
        self._finished[:] = False
        return self._observation(), {}

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        begun = self._finished.copy()
        self._begin(np.flatnonzero(begun))
        moving = np.flatnonzero(~begun)
        residual = np.zeros(self.num_envs)
        if moving.size:
            forces = np.zeros((moving.size, 3))
            forces[:, :2] = MOST_FORCE * np.clip(np.asarray(actions, np.float64)[moving], -1.0, 1.0)
            worlds = [self._worlds[index] for index in moving]
            params = {"block": {"force": forces}}
            result = advance(worlds, STEPS_PER_ACTION, STEP, params=params, threads=self._threads)
            if result.errors:
                raise RuntimeError(f"a step was refused: {result.errors}")
            residual[moving] = result.residual
        self._elapsed[moving] += 1
        observation = self._observation()
        reward, arrived = _judge(observation)
        arrived = arrived & ~begun
        truncated = (self._elapsed >= self._most_steps) & ~arrived & ~begun
        self._finished = arrived | truncated
        return observation, np.where(begun, 0.0, reward), arrived, truncated, {"residual": residual}

    def _begin(self, members: NDArray[np.int64]) -> None:
        for index in members:
            self._worlds[index] = self._start.fork()
        self._targets[members] = self.np_random.uniform(-ARENA, ARENA, (members.size, 2))
        self._elapsed[members] = 0

    def _observation(self) -> NDArray[np.float64]:
        blocks = [world["block"] for world in self._worlds]
        positions = np.array([block.position for block in blocks])
        velocities = np.array([block.velocity for block in blocks])
        return _observe(positions, velocities, self._targets)
