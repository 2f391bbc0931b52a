"""Parcels on a belt, and a ball that rolls on one.

Friction accelerates a parcel by μ g until it rides. A ball that rolls on a belt is carried along by its rolling
friction μ_r alone: with M = μ_r m g against its rolling back, m a = F and 2/5 m r a = M - F r, so that a = 5/7 μ_r g/r
until it rides.
"""

from __future__ import annotations

import signorini as sg

G, STEP = 9.81, 1 / 120
SPEED, FRICTION = 1.2, 0.4
ROLLING, RADIUS = 0.01, 0.1


def main() -> None:
    world = sg.World(gravity=(0, 0, -G))
    rubber = sg.Material(FRICTION)
    soft = sg.Material(FRICTION, rolling_friction=ROLLING)
    for name, y, material in (("belt", 0, rubber), ("track", 3, soft)):
        belt = world.add(
            sg.Shape.cuboid((6, 0.5, 0.1)), kind="fixed", position=(5, y, -0.1), material=material, name=name
        )
        belt.configure(surface_velocity=(SPEED, 0, 0))
    parcel = world.add(sg.Shape.cuboid((0.1, 0.1, 0.1)), mass=2, position=(0, 0, 0.1), material=rubber, name="parcel")
    # At rest and rolling: its lowest point has the speed of the belt.
    ball = world.add(
        sg.Shape.sphere(RADIUS),
        mass=2,
        position=(0, 3, RADIUS),
        angular_velocity=(0, -SPEED / RADIUS, 0),
        material=rubber,
        name="ball",
    )
    for step in range(1, 241):
        assert world.step(STEP).certified
        for body, gain in ((parcel, FRICTION * G), (ball, 5 / 7 * ROLLING * G / RADIUS)):
            expected = min(SPEED, gain * step * STEP)
            found = float(body.velocity[0])
            assert abs(found - expected) < 1e-6, f"{body.name}: {found} instead of {expected}"
    behind, paper = SPEED * 240 * STEP - ball.position[0], SPEED**2 * RADIUS * 0.7 / (ROLLING * G)
    print(f"both ride at {SPEED} m/s; the ball is {behind:.3f} m behind the belt, v²/(2a) is {paper:.3f} m")
    assert abs(behind - paper) < 0.01


if __name__ == "__main__":
    main()
