"""What Python costs: a step against the same step in Rust, a run against the bare loop, an ensemble against one thread.

python examples/python/overhead.py
"""

from __future__ import annotations

import os
import time

import numpy as np

import signorini as sg

DT, STEPS, ROUNDS = 1e-3, 1000, 9


def small_world() -> sg.World:
    """A box resting on a floor."""
    world = sg.World()
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), position=(0, 0, 0.5), name="box")
    world.run(100, dt=DT)
    return world


def least(measure) -> float:
    """The least of several measurements: the one that other programs disturbed least."""
    return min(measure() for _ in range(ROUNDS))


def main() -> None:
    world = small_world()

    def by_step() -> float:
        started = time.perf_counter()
        for _ in range(STEPS):
            world.step(DT)
        return time.perf_counter() - started

    def by_run() -> float:
        started = time.perf_counter()
        world.run(STEPS, dt=DT)
        return time.perf_counter() - started

    bare = least(lambda: world._bare_steps(STEPS, DT))
    run, step = least(by_run), least(by_step)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"Rust        {1e6 * bare / STEPS:8.2f} µs per step")
    print(f"world.step  {1e6 * step / STEPS:8.2f} µs per step: {1e6 * (step - bare) / STEPS:+.2f} µs")
    print(f"world.run   {1e6 * run / STEPS:8.2f} µs per step: {100 * (run / bare - 1):+.1f} %")

    velocity = np.random.default_rng(1).normal(size=(1000, 3))
    seconds = {}
    hashes = {}
    for threads in (1, 2):
        started = time.perf_counter()
        result = sg.rollout(world, {"box": {"velocity": velocity}}, 200, dt=0.01, threads=threads)
        seconds[threads] = time.perf_counter() - started
        hashes[threads] = result.hashes
    rate = 1000 * 200 / seconds[2]
    print(f"rollout of 1000 worlds × 200 steps: {seconds[1]:.2f} s on one thread, {seconds[2]:.2f} s on two")
    same = bool((hashes[1] == hashes[2]).all())
    print(f"speed-up {seconds[1] / seconds[2]:.2f}, {rate:.0f} steps per second, same bits: {same}")
    assert same


if __name__ == "__main__":
    main()
