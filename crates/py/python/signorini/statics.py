"""Which forces can hold bodies at rest where they are.

Contacts share a load in many ways; these functions speak about all of them. Nothing moves.

>>> import signorini as sg
>>> from signorini import statics
>>> world = sg.World()
>>> floor = world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", friction=0.4, name="floor")
>>> block = world.add(sg.Shape.cuboid((0.1, 0.1, 0.1)), mass=2, position=(0, 0, 0.1), friction=0.4, name="block")
>>> statics.is_stable(world).stable
True
>>> limit = statics.load_limit(world, [statics.Load(block, force=(1, 0, 0))])
>>> round(limit.greatest, 4)  # it slides at 0.4 * 2 * 9.81 N
7.848
>>> corner = statics.force_bounds(world, per="point")
>>> [round(float(x), 4) + 0.0 for x in corner.normal_force[0]]  # from nothing to half of the weight
[0.0, 9.81]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ._core import _force_bounds, _is_stable, _load_limit, _safety_factor

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._core import Body, World

__all__ = [
    "ForceBounds",
    "Load",
    "LoadLimit",
    "Proof",
    "SafetyFactor",
    "Stability",
    "force_bounds",
    "is_stable",
    "load_limit",
    "safety_factor",
]


@dataclass(frozen=True)
class Proof:
    """How far an answer is from being one, as fractions of the largest load, from the answer alone."""

    #: Largest force that is left unbalanced or is outside its cone.
    primal: float
    #: Largest amount by which the dual answer breaks what contacts and joints allow.
    dual: float
    #: Difference of the primal and the dual value.
    gap: float


@dataclass(frozen=True)
class Stability:
    """Whether bodies can rest."""

    #: Whether admissible forces hold them.
    stable: bool
    #: Least total wrench that would have to be added [N], torques divided by ``length``.
    missing: float
    #: What the dual answer proves of it [N].
    missing_at_least: float
    #: By which torques are divided [m].
    length: float
    #: Rows of the two bodies of each contact in the arrays of the world (n, 2).
    bodies: NDArray[np.int64]
    #: Where the contacts are [m] (n, 3).
    points: NDArray[np.float64]
    #: Unit normals from the first body to the second (n, 3).
    normals: NDArray[np.float64]
    #: One admissible set of forces on the second body [N] (n, 3).
    forces: NDArray[np.float64]
    #: How dynamic bodies begin to fall: velocity and angular velocity (m, 6); empty if stable.
    motion: NDArray[np.float64]
    #: The check of the answer.
    proof: Proof

    def __repr__(self) -> str:
        found = "stable" if self.stable else f"falls, {self.missing:.4g} N are missing"
        return f"<Stability: {found}; {len(self.points)} contact points>"


@dataclass(frozen=True)
class SafetyFactor:
    """By how much all friction coefficients may be divided."""

    #: The largest divisor with which the bodies are seen to rest; infinite if they need no friction.
    factor: float
    #: The least with which they are seen to fall.
    falls_from: float
    #: The check of the worst answer.
    proof: Proof


@dataclass(frozen=True)
class Load:
    """A load on one body: a force [N] at a point of the world [m], or at the centre of mass, and a torque [N·m]."""

    body: Body
    force: ArrayLike = (0.0, 0.0, 0.0)
    torque: ArrayLike = (0.0, 0.0, 0.0)
    point: ArrayLike | None = None


@dataclass(frozen=True)
class LoadLimit:
    """The factors of a pattern of loads that can be carried."""

    #: Least factor; minus infinity without end.
    least: float
    #: Greatest factor; infinity without end.
    greatest: float
    #: The check of both.
    proof: Proof


@dataclass(frozen=True)
class ForceBounds:
    """The range of every contact force over all admissible answers."""

    #: Rows of the two bodies of each contact in the arrays of the world (n, 2).
    bodies: NDArray[np.int64]
    #: Where the contacts are [m] (n, 3).
    points: NDArray[np.float64]
    #: Unit normals from the first body to the second (n, 3).
    normals: NDArray[np.float64]
    #: Number of points of each contact (n,).
    counts: NDArray[np.int64]
    #: Least and greatest normal force [N] (n, 2); infinity without end.
    normal_force: NDArray[np.float64]
    #: Least and greatest length of the tangential force [N] (n, 2).
    tangential_force: NDArray[np.float64]
    #: What no tangential force exceeds [N] (n,).
    tangential_at_most: NDArray[np.float64]
    #: Cone programs solved.
    programs: int
    #: The check of the worst of them.
    proof: Proof

    def __repr__(self) -> str:
        return f"<ForceBounds of {len(self.points)} contacts, {self.programs} cone programs>"


def is_stable(
    world: World, *, touching: float = 1e-6, tolerance: float = 1e-7, bodies: Sequence[Body] | None = None
) -> Stability:
    """Whether contacts and joints can carry the loads.

    Surfaces within ``touching`` [m] carry load. ``bodies`` must be in balance, all others hold still; None means every
    dynamic body. ``tolerance`` is the error that an answer may have, as a fraction of the largest load.
    """
    head, pairs, rows, motion, proof = _is_stable(world, touching, tolerance, _listed(bodies))
    return Stability(*head, pairs, rows[:, :3], rows[:, 3:6], rows[:, 6:], motion, Proof(*proof))


def safety_factor(
    world: World, *, touching: float = 1e-6, tolerance: float = 1e-7, bodies: Sequence[Body] | None = None
) -> SafetyFactor:
    """By how much all friction coefficients may be divided before the bodies fall."""
    factor, falls_from, proof = _safety_factor(world, touching, tolerance, _listed(bodies))
    return SafetyFactor(factor, falls_from, Proof(*proof))


def load_limit(
    world: World,
    pattern: Sequence[Load],
    *,
    touching: float = 1e-6,
    tolerance: float = 1e-7,
    bodies: Sequence[Body] | None = None,
) -> LoadLimit:
    """The interval of factors by which a pattern of loads may be multiplied."""
    loads = [(load.body, load.force, load.torque, load.point) for load in pattern]
    least, greatest, proof = _load_limit(world, loads, touching, tolerance, _listed(bodies))
    return LoadLimit(least, greatest, Proof(*proof))


def force_bounds(
    world: World,
    *,
    per: Literal["patch", "point"] = "patch",
    touching: float = 1e-6,
    tolerance: float = 1e-7,
    bodies: Sequence[Body] | None = None,
) -> ForceBounds:
    """The least and greatest force of every contact patch, or of every point, over all admissible answers."""
    pairs, rows, counts, programs, proof = _force_bounds(world, per, touching, tolerance, _listed(bodies))
    return ForceBounds(
        pairs, rows[:, :3], rows[:, 3:6], counts, rows[:, 6:8], rows[:, 8:10], rows[:, 10], programs, Proof(*proof)
    )


def _listed(bodies: Sequence[Body] | None) -> list[Body] | None:
    return None if bodies is None else list(bodies)
