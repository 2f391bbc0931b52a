"""A bridge of planks hangs between two points and carries a crate.

Its ends carry half the weight each, and pull along it with what the slope of the first plank says.

    python examples/python/bridge.py            # checks the forces
    python examples/python/bridge.py --view     # shows it in the page
"""

from __future__ import annotations

import sys
from math import cos, sin

import signorini as sg

G, DT = 9.81, 1 / 240
PLANKS, LENGTH = 11, 0.5
PLANK, CRATE = 10.0, 60.0
ACROSS = (0, 1, 0)


def bridge() -> tuple[sg.World, sg.Joint, sg.Joint]:
    """The world, and the hinges at the two ends."""
    world = sg.World(gravity=(0, 0, -G))
    near, far = (-LENGTH / 2, 0, 0), (LENGTH / 2, 0, 0)
    x, z, hinges, before = 0.0, 3.0, [], None
    for index in range(PLANKS):
        # At first an arc: slopes from −0.4 to 0.4 rad, downwards to begin with.
        slope = 0.4 * (1 - 2 * index / (PLANKS - 1))
        half = (LENGTH / 2 * cos(slope), -LENGTH / 2 * sin(slope))
        plank = world.add(
            sg.Shape.cuboid((0.48 * LENGTH, 0.5, 0.02)),
            mass=PLANK,
            position=(x + half[0], 0, z + half[1]),
            orientation=(cos(slope / 2), 0, sin(slope / 2), 0),
            name=index,
        )
        end = (x, 0, z) if before is None else far
        hinges.append(
            world.add_joint(
                "revolute", plank, before, anchor_a=near, anchor_b=end, axis_a=ACROSS, axis_b=ACROSS, damping=20.0
            )
        )
        before, x, z = plank, x + 2 * half[0], z + 2 * half[1]
    assert before is not None
    hinges.append(
        world.add_joint(
            "revolute", before, anchor_a=far, anchor_b=(x, 0, z), axis_a=ACROSS, axis_b=ACROSS, damping=20.0
        )
    )
    above = world[PLANKS // 2].position
    above[2] += 0.02 + 0.15
    world.add(sg.Shape.cuboid((0.15, 0.15, 0.15)), mass=CRATE, position=above, name="crate")
    return world, hinges[0], hinges[-1]


def main() -> None:
    world, first, last = bridge()
    if "--view" in sys.argv:
        sg.view(world).wait()
        return
    print(world.run(1200, DT, keep=0))
    weight = (PLANKS * PLANK + CRATE) * G
    left, right = first.constraint_forces[0], last.constraint_forces[0]
    # About the middle of the first plank: 2 H sin θ = (2 V − w) cos θ with V upwards at its end and H along.
    w, _, y, _ = world[0].orientation
    slope = 2 * w * y / (1 - 2 * y * y)
    pull = (weight / 2 - PLANK * G / 2) / slope
    print(f"the ends carry {left[2]:.3f} N and {right[2]:.3f} N of {weight:.3f} N")
    print(f"and pull with {-left[0]:.3f} N: {pull:.3f} N by hand")
    assert abs(left[2] + right[2] - weight) < 1e-3 * weight
    assert abs(left[0] + right[0]) < 1e-3 * weight
    assert abs(-left[0] - pull) < 1e-3 * pull


if __name__ == "__main__":
    main()
