"""What Python costs: a step against the same step in Rust, a run against the bare loop, an ensemble against one thread.

python examples/python/overhead.py
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np

import signorini as sg

DT, STEPS, ROUNDS = 1e-3, 1000, 51


def small_world() -> sg.World:
    """A box resting on a floor."""
    world = sg.World()
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), position=(0, 0, 0.5), name="box")
    world.run(100, dt=DT)
    return world


def processor_seconds(work: Callable[[], object]) -> float:
    """Time of this thread on a processor, which other programs hardly disturb [s]."""
    started = time.thread_time()
    work()
    return time.thread_time() - started


def main() -> None:
    world = small_world()

    def step_by_step() -> None:
        for _ in range(STEPS):
            world.step(DT)

    ways = {
        "Rust": lambda: world._bare_steps(STEPS, DT),
        "world.step": step_by_step,
        "world.run": lambda: world.run(STEPS, dt=DT),
    }
    # In turn, and the median of what each round found: what differs is then not the machine.
    rounds = np.array([[processor_seconds(work) / STEPS for work in ways.values()] for _ in range(ROUNDS)])
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for index, name in enumerate(ways):
        seconds = float(np.median(rounds[:, index]))
        over = float(np.median(rounds[:, index] - rounds[:, 0]))
        relative = 100 * float(np.median(rounds[:, index] / rounds[:, 0] - 1))
        print(f"{name:<12}{1e6 * seconds:8.2f} µs per step, {1e6 * over:+.2f} µs, {relative:+.1f} %")

    velocity = np.random.default_rng(1).normal(size=(1000, 3))
    seconds, hashes = {}, {}
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
