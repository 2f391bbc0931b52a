"""Is the die fair? Four hundred throws with random angular velocities, over all processors.

Every throw is a world of its own; the same seed gives the same bits on any number of threads, which is checked.

    python examples/python/dice.py
"""

from __future__ import annotations

import numpy as np

import signorini as sg

THROWS, STEPS, DT, HALF = 400, 300, 0.01, 0.01


def die_and_table() -> sg.World:
    world = sg.World()
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", friction=0.4, restitution=0.4, name="table")
    cube = sg.Shape.cuboid((HALF, HALF, HALF))
    world.add(cube, density=1200.0, friction=0.4, restitution=0.4, position=(0, 0, 0.3), name="die")
    return world


def random_throws(count: int, seed: int) -> dict[str, dict[str, np.ndarray]]:
    random = np.random.default_rng(seed)
    turns = random.normal(size=(count, 4))
    return {
        "die": {
            "orientation": turns / np.linalg.norm(turns, axis=1, keepdims=True),
            "velocity": random.normal((1.0, 0.0, -1.0), 0.3, (count, 3)),
            "angular_velocity": random.normal(0.0, 20.0, (count, 3)),
        }
    }


def faces(orientations: np.ndarray) -> np.ndarray:
    """Which face is up: 0 to 2 for +x, +y, +z of the die, 3 to 5 for −x, −y, −z."""
    w, x, y, z = orientations.T
    # Third row of the rotation matrix: heights of the die's axes.
    heights = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    axis = np.abs(heights).argmax(axis=1)
    return np.where(np.take_along_axis(heights, axis[:, None], 1)[:, 0] > 0, axis, axis + 3)


def main() -> None:
    throws = random_throws(THROWS, seed=7)
    result = sg.rollout(die_and_table(), throws, STEPS, dt=DT, progress=True)
    die = result.body("die")
    assert not result.errors
    at_rest = np.linalg.norm(result.velocities[:, die], axis=1) < 1e-3
    print(f"{at_rest.sum()} of {THROWS} throws at rest after {STEPS * DT:g} s")
    worst = result.residual.max()
    print(f"{result.degraded.sum()} of {result.steps.sum()} steps not certified, largest error {worst:.1e} m/s")
    counts = np.bincount(faces(result.orientations[at_rest, die]), minlength=6)
    expected = counts.sum() / 6
    chi_squared = float(((counts - expected) ** 2 / expected).sum())
    print(f"faces {counts.tolist()}, χ² = {chi_squared:.1f} (5 degrees of freedom; 20.5 is one in a thousand)")
    assert at_rest.sum() > 0.95 * THROWS
    assert chi_squared < 20.5

    few = {"die": {name: values[:20] for name, values in throws["die"].items()}}
    alone = sg.rollout(die_and_table(), few, STEPS, dt=DT, threads=1)
    assert (alone.hashes == result.hashes[:20]).all(), "the number of threads changed a bit"


if __name__ == "__main__":
    main()
