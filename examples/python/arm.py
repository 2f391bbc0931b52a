"""A robot arm with seven hinges is held by servos; what each exerts is the moment of everything beyond it.

python examples/python/arm.py            # checks the torques
python examples/python/arm.py --view     # shows it in the page
"""

from __future__ import annotations

import sys

import numpy as np

import signorini as sg
from signorini.envs import ROBOTS

DT = 1 / 240


def main() -> None:
    world = sg.World()
    robot = world.add_robot(ROBOTS / "arm.xml", self_collision=False)
    control = robot.control
    control[1] += 0.2
    robot.set_control(control)
    if "--view" in sys.argv:
        sg.view(world).wait()
        return
    imu = robot.imu("hand")
    print(world.run(400, DT, keep=0))
    # The moment of the weight beyond each hinge about its axis: Σ m g × r · axis, from where the links are.
    links = robot.links
    masses = np.array([robot.body(link).mass for link in links])
    centres = np.array([robot.body(link).centre_of_mass for link in links])
    torques = robot.actuator_forces
    for hinge in range(7):
        # Links are in the order of their hinges, and each turns about the origin of its frame.
        axis, (origin, _) = robot.jacobian(links[hinge])[3:, hinge], robot.pose(links[hinge])
        weights = masses[hinge:, None] * np.array([0, 0, -9.81])
        moment = float(axis @ np.cross(centres[hinge:] - origin, weights).sum(axis=0))
        print(f"{robot.joints[hinge]:13} servo {torques[hinge]:9.5f} N·m, weight {moment:9.5f} N·m")
        assert abs(torques[hinge] + moment) < 1e-5
    # At rest an inertial unit reads 9.81 m/s² upwards, whichever way the hand points.
    imu.read()
    world.step(DT)
    acceleration, angular_velocity = imu.read()
    assert abs(np.linalg.norm(acceleration) - 9.81) < 1e-5
    assert np.linalg.norm(angular_velocity) < 1e-6


if __name__ == "__main__":
    main()
