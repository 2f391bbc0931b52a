"""A vehicle on four springs and four driven wheels.

At rest its springs give way by mg/(4k); under way the wheels roll at the speed of their motors, and before that their
torque pushes all of it along.

    python examples/python/vehicle.py            # checks all three
    python examples/python/vehicle.py --view     # shows it in the page, driving
"""

from __future__ import annotations

import sys

import signorini as sg

G, DT = 9.81, 1 / 240
CHASSIS, HUB, WHEEL = 400.0, 5.0, 10.0
RADIUS = 0.3
STIFFNESS, DAMPING = 20_000.0, 3000.0
TORQUE = 60.0
UP, ALONG_AXLE = (0, 0, 1), (0, 1, 0)


def vehicle() -> tuple[sg.World, list[sg.Joint], list[sg.Joint]]:
    """The world, its springs and its motors."""
    world = sg.World(gravity=(0, 0, -G))
    world.add(sg.Shape.half_space(UP), kind="fixed", friction=0.9, name="road")
    chassis = world.add(sg.Shape.cuboid((1.2, 0.35, 0.15)), mass=CHASSIS, position=(0, 0, 0.5), name="chassis")
    springs, motors = [], []
    for name, x, y in (("fl", 1.0, 0.7), ("fr", 1.0, -0.7), ("bl", -1.0, 0.7), ("br", -1.0, -0.7)):
        hub = world.add(sg.Shape.sphere(0.08), mass=HUB, position=(x, y, RADIUS), name=f"hub {name}")
        spring = world.add_joint(
            "prismatic",
            hub,
            chassis,
            anchor_b=(x, y, RADIUS - 0.5),
            axis_a=UP,
            axis_b=UP,
            spring=(STIFFNESS, DAMPING, 0.0),
        )
        shape = sg.Shape.sphere(RADIUS)
        wheel = world.add(shape, mass=WHEEL, friction=0.9, position=(x, y, RADIUS), name=f"wheel {name}")
        motor = world.add_joint("revolute", wheel, hub, axis_a=ALONG_AXLE, axis_b=ALONG_AXLE, motor=(0.0, TORQUE))
        springs.append(spring)
        motors.append(motor)
    return world, springs, motors


def main() -> None:
    world, springs, motors = vehicle()
    print(world.run(1200, DT, keep=0))
    sag = CHASSIS * G / (4 * STIFFNESS)
    assert all(abs(spring.position[0] - sag) < 1e-6 for spring in springs)
    speed = 3.0
    for motor in motors:
        motor.set_target(speed / RADIUS)  # forward is rolling about +y
    if "--view" in sys.argv:
        sg.view(world).wait()
        return
    print(world.run(240, DT, keep=0))
    # Four wheels push with 4 T/r; they have to be turned as well, which takes as much as 2/5 of their mass.
    paper = 4 * TORQUE / RADIUS / (CHASSIS + 4 * (HUB + 1.4 * WHEEL))
    found = float(world["chassis"].velocity[0])
    print(f"springs give way by {1e3 * sag:.1f} mm; after 1 s it goes {found:.4f} m/s, {paper:.4f} by hand")
    assert abs(found / paper - 1) < 0.02
    print(world.run(720, DT, keep=0))
    found = float(world["chassis"].velocity[0])
    print(f"and then {found:.6f} m/s: wheels of {RADIUS} m that turn at {speed / RADIUS} rad/s")
    assert abs(found - speed) < 1e-3


if __name__ == "__main__":
    main()
