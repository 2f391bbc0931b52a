"""Statics from Python: answers from paper, and bad questions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from signorini import statics

WEIGHT = 10 * 9.81


def table(x: float, y: float) -> sg.World:
    """Four round feet at (±0.4, ±0.4), the centre of mass at (x, y)."""
    world = sg.World()
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    feet = [(sg.Shape.sphere(0.05), (0.4 * i, 0.4 * j, 0.05)) for i in (-1, 1) for j in (-1, 1)]
    shape = sg.Shape.compound(feet)
    world.add(shape, mass=10, inertia=np.eye(3), centre=(x, y, 0.7), name="table")
    return world


def test_a_leg_of_a_table_carries_from_nothing_to_half_of_the_weight() -> None:
    bounds = statics.force_bounds(table(0, 0))
    np.testing.assert_allclose(bounds.normal_force, [[0, WEIGHT / 2]] * 4, atol=1e-4)
    np.testing.assert_allclose(bounds.tangential_force[:, 1], 0.5 * WEIGHT / 2, rtol=1e-3)
    assert bounds.proof.gap < 1e-7
    assert bounds.bodies.tolist() == [[0, 1]] * 4


def test_a_table_that_leans_beyond_its_feet_falls() -> None:
    world = table(0.5, 0)
    found = statics.is_stable(world)
    assert not found.stable
    assert 0 < found.missing_at_least <= found.missing * (1 + 1e-6)
    assert found.motion.shape == (1, 6)
    with pytest.raises(sg.StaticsError, match="no admissible forces"):
        statics.force_bounds(world)


def test_a_block_on_a_slope_has_the_safety_on_paper() -> None:
    world = sg.World(gravity=(9.81 * math.sin(0.2), 0, -9.81 * math.cos(0.2)))
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", friction=0.5)
    block = world.add(sg.Shape.cuboid((0.1, 0.1, 0.05)), position=(0, 0, 0.05), friction=0.5, mass=1)
    assert statics.safety_factor(world).factor == pytest.approx(0.5 / math.tan(0.2), rel=1e-5)
    limit = statics.load_limit(world, [statics.Load(block, force=(1, 0, 0), point=(0, 0, 0))])
    slack = 9.81 * (0.5 * math.cos(0.2) - math.sin(0.2))
    assert limit.greatest == pytest.approx(slack, rel=1e-5)


def test_bad_questions_are_exceptions() -> None:
    world, other = table(0, 0), table(0, 0)
    with pytest.raises(ValueError, match="another world"):
        statics.is_stable(world, bodies=[other["table"]])
    with pytest.raises(ValueError, match="per"):
        statics.force_bounds(world, per="face")  # type: ignore[arg-type]
    with pytest.raises(sg.StaticsError, match="touching"):
        statics.is_stable(world, touching=-1)
    with pytest.raises(sg.StaticsError, match="force of load 0"):
        statics.load_limit(world, [statics.Load(world["table"], force=(math.nan, 0, 0))])
    with pytest.raises(TypeError, match="Body"):
        statics.is_stable(world, bodies=["table"])  # type: ignore[list-item]
