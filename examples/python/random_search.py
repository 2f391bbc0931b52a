"""Learns to push a block to a target by random search, the simplest learning there is.

A policy has two numbers: how hard it pushes towards the target and how hard against the motion. All candidates of a
generation are tried at once by the vectorised environment. Needs Gymnasium.

    python examples/python/random_search.py
"""

from __future__ import annotations

import gymnasium
import numpy as np

import signorini.envs  # noqa: F401 - registers the environment

CANDIDATES, GENERATIONS, STEPS = 12, 5, 100


def total_rewards(policies: np.ndarray, seed: int) -> np.ndarray:
    """Reward of one episode of every policy, shape (candidates, 2)."""
    env = gymnasium.make_vec("signorini/PushBlock-v0", len(policies), vectorization_mode="vector_entry_point")
    observation, _ = env.reset(seed=seed)
    total, running = np.zeros(len(policies)), np.ones(len(policies), bool)
    for _ in range(STEPS):
        towards, against = observation[:, 0:2], -observation[:, 2:4]
        actions = policies[:, :1] * towards + policies[:, 1:] * against
        observation, reward, terminated, truncated, _ = env.step(np.clip(actions, -1, 1).astype(np.float32))
        total += np.where(running, reward, 0.0)
        running &= ~(terminated | truncated)
        if not running.any():
            break
    env.close()
    return total


def mean_reward(policy: np.ndarray) -> float:
    """Over many targets, always the same ones."""
    return float(total_rewards(np.repeat(policy[None], CANDIDATES, 0), seed=0).mean())


def main() -> None:
    random = np.random.default_rng(1)
    best = np.zeros(2)
    first = best_reward = mean_reward(best)
    for generation in range(GENERATIONS):
        candidates = best + random.normal(0.0, 2.0, (CANDIDATES, 2))
        winner = candidates[total_rewards(candidates, seed=generation).argmax()]
        # Tried again on other targets, so that luck with one does not count.
        reward = mean_reward(winner)
        if reward > best_reward:
            best, best_reward = winner, reward
        print(f"generation {generation}: towards {best[0]:.1f}, against {best[1]:.1f}, reward {best_reward:.2f}")
    print(f"from {first:.2f} to {best_reward:.2f}")
    assert best_reward > first + 1.0


if __name__ == "__main__":
    main()
