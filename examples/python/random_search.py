"""Learns to push a block to a target by random search, the simplest learning there is (Matyas 1965).

A policy is a linear map from what is seen to a force, held after the step against friction; all candidates of a
generation are tried at once by the vectorised environment. Needs Gymnasium.

    python examples/python/random_search.py
"""

from __future__ import annotations

import gymnasium
import numpy as np

import signorini.envs  # noqa: F401 - registers the environment

CANDIDATES, GENERATIONS, STEPS, SIGHT = 16, 6, 100, 4


def total_rewards(policies: np.ndarray, seed: int) -> np.ndarray:
    """Reward of one episode of every policy, shape (candidates, 2, SIGHT), all with targets from the same seed."""
    env = gymnasium.make_vec("signorini/PushBlock-v0", len(policies), vectorization_mode="vector_entry_point")
    observation, _ = env.reset(seed=seed)
    total, running = np.zeros(len(policies)), np.ones(len(policies), bool)
    for _ in range(STEPS):
        actions = np.einsum("mij,mj->mi", policies, observation[:, :SIGHT])
        observation, reward, terminated, truncated, _ = env.step(np.clip(actions, -1, 1).astype(np.float32))
        total += np.where(running, reward, 0.0)
        running &= ~(terminated | truncated)
        if not running.any():
            break
    env.close()
    return total


def main() -> None:
    random = np.random.default_rng(1)
    best = np.zeros((2, SIGHT))
    first = best_reward = total_rewards(np.repeat(best[None], CANDIDATES, 0), seed=0).mean()
    for generation in range(GENERATIONS):
        candidates = best + random.normal(0.0, 2.0 / (1 + generation), (CANDIDATES, 2, SIGHT))
        rewards = total_rewards(candidates, seed=generation)
        # The winner is tried again on many targets, so that luck with one does not count.
        winner = candidates[rewards.argmax()]
        again = total_rewards(np.repeat(winner[None], CANDIDATES, 0), seed=0).mean()
        if again > best_reward:
            best, best_reward = winner, again
        print(f"generation {generation}: reward {best_reward:.2f}")
    print(f"from {first:.2f} to {best_reward:.2f}")
    assert best_reward > first


if __name__ == "__main__":
    main()
