"""The Gymnasium environment, alone and in numbers."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from signorini.envs.push_block import MOST_FORCE, PushBlock, PushBlockVector  # noqa: E402


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_environment_passes_the_checker():
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make("signorini/PushBlock-v0")
    check_env(env.unwrapped, skip_render_check=True)
    assert env.spec is not None
    assert env.spec.max_episode_steps == 100


def test_weak_push_does_not_move_the_block():
    env = PushBlock()
    env.reset(seed=1)
    start, *_ = env.step(np.zeros(2, np.float32))
    for _ in range(20):
        observation, *_ = env.step(np.array([0.49, 0.0], np.float32))  # 98 % of what friction holds
    np.testing.assert_allclose(observation, start, atol=1e-6)
    observation, *_ = env.step(np.array([0.52, 0.0], np.float32))
    assert observation[2] > 0.0
    assert pytest.approx(9.81) == MOST_FORCE


def test_vector_environment_equals_single_ones_bit_for_bit():
    vector = gymnasium.make_vec("signorini/PushBlock-v0", 4, vectorization_mode="vector_entry_point")
    assert isinstance(vector.unwrapped, PushBlockVector)
    observations, _ = vector.reset(seed=3)
    singles = [PushBlock() for _ in range(4)]
    for index, (single, observation) in enumerate(zip(singles, observations, strict=True)):
        np.testing.assert_array_equal(single.reset(seed=3 + index)[0], observation)
    random = np.random.default_rng(0)
    for _ in range(20):
        actions = random.uniform(-1, 1, (4, 2)).astype(np.float32)
        observations, rewards, *_ = vector.step(actions)
        for index, single in enumerate(singles):
            observation, reward, *_ = single.step(actions[index])
            np.testing.assert_array_equal(observation, observations[index])
            assert reward == rewards[index]


def test_vector_environment_begins_anew():
    vector = PushBlockVector(num_envs=3, max_episode_steps=2)
    vector.reset(seed=1)
    still = np.zeros((3, 2), np.float32)
    vector.step(still)
    before, _, terminated, truncated, _ = vector.step(still)
    assert truncated.all()
    assert not terminated.any()
    after, rewards, _, truncated, _ = vector.step(still)
    assert not truncated.any()
    assert (rewards == 0).all()
    assert not np.allclose(before[:, 4:], after[:, 4:])
