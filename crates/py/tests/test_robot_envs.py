"""The environments with robots: the rules of Gymnasium, the same bits from the same seeds, tasks that can be done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from signorini import envs  # noqa: E402

NAMES = ("Reach", "ArmPush", "PickAndPlace", "Quadruped")


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_environments_pass_the_checker(name: str) -> None:
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make(f"signorini/{name}-v0")
    check_env(env.unwrapped, skip_render_check=True)
    with pytest.raises(ValueError, match=r"use signorini\.view"):
        gymnasium.make(f"signorini/{name}-v0", render_mode="rgb_array", disable_env_checker=True)


@pytest.mark.parametrize("name", NAMES)
def test_seeds_give_the_same_bits_alone_and_in_numbers(name: str) -> None:
    vector = gymnasium.make_vec(f"signorini/{name}-v0", 3, vectorization_mode="vector_entry_point").unwrapped
    singles = [getattr(envs, name)() for _ in range(3)]
    observations, _ = vector.reset(seed=11)
    again, _ = vector.reset(seed=[11, 12, 13])
    np.testing.assert_array_equal(observations, again)
    for index, single in enumerate(singles):
        observation, _ = single.reset(seed=11 + index)
        np.testing.assert_array_equal(observation, observations[index])
    random = np.random.default_rng(5)
    for _ in range(6):
        actions = random.uniform(-1, 1, (3, *vector.single_action_space.shape)).astype(np.float32)
        observations, rewards, over, _, info = vector.step(actions)
        for index, single in enumerate(singles):
            observation, reward, ended, _, own = single.step(actions[index])
            np.testing.assert_array_equal(observation, observations[index])
            assert (reward, ended) == (rewards[index], over[index])
            # Every step is certified, or the information says which part missed.
            assert own["certified"] == info["certified"][index]
            assert own["certified"] == (not own["missed"])
            assert own["missed"] == {part: n[index] for part, n in info["missed"].items() if n[index]}
    with pytest.raises(ValueError, match="2 seeds for 3"):
        vector.reset(seed=[1, 2])


def play(env: Any, policy: Callable[[Any, int], Any], seed: int, most: int) -> tuple[bool, int, int]:
    """Plays an episode: whether it ended well, and how many of its actions were certified throughout."""
    env.reset(seed=seed)
    certified = 0
    for action in range(most):
        _, reward, over, _, info = env.step(np.asarray(policy(env, action), np.float32))
        certified += info["certified"]
        if over:
            return reward > 0, certified, action + 1
    return False, certified, most


def reach(env: envs.Reach, _action: int) -> Any:
    """Down the gradient of the distance."""
    robot = env.member.machine
    tip, _ = robot.pose("tip")
    jacobian = robot.jacobian("tip")[:3, :7]
    twist = np.clip(env.member.goal - tip, -0.03, 0.03)
    return jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-3 * np.eye(3), twist) / 0.08


def towards(env: Any, place: Any) -> Any:
    tip, _ = env.member.machine.pose("tip")
    return np.clip((np.asarray(place) - tip) / 0.015, -1, 1)


def push(env: envs.ArmPush, _action: int) -> Any:
    """Behind the box as seen from the goal, down, and then through it."""
    box, goal = env.world["box"].position, env.member.goal
    tip, _ = env.member.machine.pose("tip")
    along = (goal - box) / np.linalg.norm(goal - box)
    behind = box - 0.1 * along
    if tip[2] > 0.06 and np.linalg.norm((tip - behind)[:2]) > 0.02:
        return towards(env, [*behind[:2], 0.14])
    if tip[2] > 0.06:
        return towards(env, [*behind[:2], 0.05])
    # Follow the line to the goal, and go slowly so that the box does not slide on.
    side = (box - tip) - ((box - tip) @ along) * along
    return 0.4 * np.clip((along * 0.02 + 0.5 * side + np.array([0, 0, 0.05 - tip[2]])) / 0.015, -1, 1)


def pick(env: envs.PickAndPlace, action: int) -> Any:
    """Above the box, down, shut, and to the goal."""
    box, goal = env.world["box"].position, env.member.goal
    if action < 25:
        return [*towards(env, [*box[:2], 0.12]), 1]
    if action < 45:
        return [*towards(env, [*box[:2], 0.028]), 1]
    if action < 52:
        return [0, 0, 0, -1]
    return [*(0.5 * np.clip((goal - box) / 0.015, -1, 1)), -1]


@pytest.mark.parametrize(("name", "policy"), [("Reach", reach), ("ArmPush", push)])
def test_the_task_can_be_done(name: str, policy: Callable[[Any, int], Any]) -> None:
    done, _, _ = play(getattr(envs, name)(), policy, 1, 100)
    assert done, name


def test_a_box_is_picked_up() -> None:
    env = envs.PickAndPlace()
    play(env, pick, 1, 56)
    height = float(env.world["box"].position[2])
    assert height > 0.025 + 0.01, height


def test_a_quadruped_stands_when_told_nothing() -> None:
    env = envs.Quadruped()
    fell, certified, actions = play(env, lambda _env, _action: np.zeros(8), 3, 40)
    assert (fell, certified, actions) == (False, 40, 40)
    assert abs(env.world["torso"].position[0]) < 0.05
