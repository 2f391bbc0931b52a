"""Two jaws press on a box with F and lift it by friction.

A box that needs less than 2μF moves with the hand; a heavier one slides down between the jaws with g − 2μF/m.

    python examples/python/gripper.py            # checks both
    python examples/python/gripper.py --view     # shows the light one in the page
"""

from __future__ import annotations

import sys

import signorini as sg

G, DT = 9.81, 1 / 240
GRIP, FRICTION = 20.0, 0.5
PALM, JAW = 2.0, 0.5


def gripper(mass: float, lift: float) -> sg.World:
    """A hand that holds a box of some mass [kg] and is lifted at 0.2 m/s by a motor of some force [N]."""
    world = sg.World(gravity=(0, 0, -G))
    palm = world.add(sg.Shape.cuboid((0.05, 0.3, 0.02)), mass=PALM, position=(0, 0, 1), name="palm")
    up = (0, 0, 1)
    world.add_joint("prismatic", palm, anchor_b=(0, 0, 1), axis_a=up, axis_b=up, motor=(0.2, lift))
    world.add(sg.Shape.cuboid((0.1, 0.1, 0.1)), mass=mass, friction=FRICTION, position=(0, 0, 0.8), name="box")
    for name, side in (("left jaw", 1), ("right jaw", -1)):
        place = (0, 0.11 * side, 0.83)
        shape = sg.Shape.cuboid((0.08, 0.01, 0.15))
        jaw = world.add(shape, mass=JAW, friction=FRICTION, position=place, name=name)
        # Along the inward normal; blocked by the box, the motor gives all it has.
        inward, on_palm = (0, -side, 0), (0, 0.11 * side, -0.17)
        world.add_joint("prismatic", jaw, palm, anchor_b=on_palm, axis_a=inward, axis_b=inward, motor=(0.1, GRIP))
    return world


def main() -> None:
    hand = PALM + 2 * JAW
    # Lifted with 1 m/s² a box of 1.8 kg needs 1.8 · 10.81 = 19.5 N of the 2 · 0.5 · 20 = 20 N.
    light = gripper(1.8, (hand + 1.8) * (G + 1))
    if "--view" in sys.argv:
        sg.view(light).wait()
        return
    for step in range(1, 121):
        assert light.step(DT).certified
        assert abs(light["palm"].velocity[2] - min(step * DT, 0.2)) < 1e-6
        assert abs(light["box"].velocity - light["palm"].velocity).max() < 1e-6
    # 2.2 kg need 21.6 N to be held at all: they go down with g − 2μF/m, while the hand goes up.
    heavy = gripper(2.2, 1e4)
    start = heavy["box"].position[2]
    assert heavy.run(60, DT).certified
    fallen = float(start - heavy["box"].position[2])
    paper = 0.5 * (G - 2 * FRICTION * GRIP / 2.2) * (60 * DT) ** 2
    print(f"1.8 kg rise with the hand; 2.2 kg slip down by {fallen:.6f} m in {60 * DT} s, {paper:.6f} m by hand")
    assert abs(fallen - paper) < 0.01 * paper


if __name__ == "__main__":
    main()
