"""Worlds that several tests use."""

from __future__ import annotations

import matplotlib
import pytest

import signorini as sg

matplotlib.use("Agg")


def falling_box() -> sg.World:
    """A box that drops, tumbles and slides on a floor: every stage of a step has something to do."""
    world = sg.World()
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    world.add(
        sg.Shape.cuboid((0.3, 0.2, 0.1)),
        mass=2.0,
        position=(0, 0, 0.6),
        velocity=(1.0, 0.5, 0.0),
        angular_velocity=(3.0, -1.0, 2.0),
        name="box",
    )
    return world


@pytest.fixture
def world() -> sg.World:
    return falling_box()
