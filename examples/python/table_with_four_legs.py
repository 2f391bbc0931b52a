"""A table with four legs: who carries how much?

Three legs would do, so the load on each is not unique; the motion is. Every method is run on the same problem and
graded by the same judge, and whatever it answers, the four normal impulses have to add up to the weight.

    python examples/python/table_with_four_legs.py
"""

from __future__ import annotations

import numpy as np

import signorini as sg

GRAVITY, DT, MASS = 9.81, 0.01, 20.0
TOLERANCE = 1e-9


def table() -> sg.World:
    """A top and four legs as one body, standing on a rough floor."""
    world = sg.World(gravity=(0, 0, -GRAVITY))
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", friction=0.6, name="floor")
    top = (sg.Shape.cuboid((0.6, 0.4, 0.02)), (0, 0, 0.72))
    corners = [(x, y) for x in (-0.55, 0.55) for y in (-0.35, 0.35)]
    legs = [(sg.Shape.sphere(0.03), (x, y, 0.03)) for x, y in corners]
    world.add(sg.Shape.compound([top, *legs]), mass=MASS, friction=0.6, name="table")
    return world


def main() -> None:
    (problem,) = table().problems(DT)
    print(f"{len(problem.blocks)} legs, {problem.rows} unknowns, rank of W {np.linalg.matrix_rank(problem.W)}")
    print(f"{'method':<20}{'residual [m/s]':>16}{'verdict':>10}{'time [µs]':>12}   loads [N]")
    certified = []
    for method in sg.methods():
        try:
            solution = problem.solve(method, tolerance=TOLERANCE)
        except sg.SolveError as refusal:
            print(f"{method:<20}{'':>16}{'refused':>10}   {refusal}")
            continue
        loads = solution.impulses[0::3] / DT
        shown = " ".join(f"{load:7.2f}" for load in loads)
        row = f"{method:<20}{solution.residual:>16.1e}{solution.status:>10}{1e6 * solution.seconds:>12.0f}"
        print(f"{row}   {shown}")
        if solution.solved:
            certified.append(method)
            # The weight of the table, and nothing else: u_N = 0 on all legs.
            assert abs(loads.sum() - MASS * GRAVITY) < 1e-4, f"{method}: the legs carry {loads.sum()} N"
            assert (loads >= 0).all(), f"{method}: a leg pulls"
    assert {"exact", "interior-point"} <= set(certified), certified

    world = table()
    run = world.run(200, dt=DT)
    assert run.certified
    assert abs(world["table"].velocity).max() < 1e-8, "the table creeps"
    print(run)


if __name__ == "__main__":
    main()
