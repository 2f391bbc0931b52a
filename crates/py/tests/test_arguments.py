"""K1: whatever is given wrong is a TypeError or ValueError that names the argument, and changes nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg

SPHERE = sg.Shape.sphere(0.5)
EYE = np.eye(3)
Q = np.array([-1.0, 0.0, 0.0])

WRONG = {
    "radius None": (lambda _: sg.Shape.sphere(None), TypeError, "radius"),
    "radius text": (lambda _: sg.Shape.sphere("1"), TypeError, "radius"),
    "radius NaN": (lambda _: sg.Shape.sphere(math.nan), ValueError, "radius"),
    "extents None": (lambda _: sg.Shape.cuboid(None), TypeError, "half_extents"),
    "extents two": (lambda _: sg.Shape.cuboid((1, 2)), ValueError, "half_extents"),
    "extents text": (lambda _: sg.Shape.cuboid("abc"), TypeError, "half_extents"),
    "extents complex": (lambda _: sg.Shape.cuboid(np.ones(3, complex)), TypeError, "half_extents"),
    "extents objects": (lambda _: sg.Shape.cuboid([1, 2, None]), TypeError, "half_extents"),
    "extents nested": (lambda _: sg.Shape.cuboid([[1, 2, 3]]), ValueError, "half_extents"),
    "extents ragged": (lambda _: sg.Shape.cuboid([[1], [2, 3], [4]]), (TypeError, ValueError), "half_extents"),
    "points flat": (lambda _: sg.Shape.hull(np.zeros(12)), ValueError, "points"),
    "points four": (lambda _: sg.Shape.hull(np.zeros((3, 4))), ValueError, "points"),
    "triangles float": (lambda _: sg.Shape.mesh(np.eye(3), [[0.0, 1.0, 2.0]]), TypeError, "triangles"),
    "triangles negative": (lambda _: sg.Shape.mesh(np.eye(3), [[0, 1, -2]]), ValueError, "triangles"),
    "triangles four": (lambda _: sg.Shape.mesh(np.eye(3), [[0, 1, 2, 2]]), ValueError, "triangles"),
    "triangles out of range": (lambda _: sg.Shape.mesh(np.eye(3), [[0, 1, 9]]), ValueError, "vertex 9"),
    "heights flat": (lambda _: sg.Shape.height_field(np.zeros(9), (1, 1)), ValueError, "heights"),
    "parts number": (lambda _: sg.Shape.compound(3), TypeError, "parts"),
    "parts of numbers": (lambda _: sg.Shape.compound([3]), TypeError, "parts"),
    "shape None": (lambda w: w.add(None), TypeError, "shape"),
    "kind": (lambda w: w.add(SPHERE, kind="ghost"), ValueError, "kind"),
    "name float": (lambda w: w.add(SPHERE, name=1.5), TypeError, "named"),
    "name twice": (lambda w: w.add(SPHERE, name="box"), ValueError, "box"),
    "mass zero": (lambda w: w.add(SPHERE, mass=0.0), ValueError, "mass"),
    "mass and density": (lambda w: w.add(SPHERE, mass=1.0, density=1.0), ValueError, "density"),
    "inertia alone": (lambda w: w.add(SPHERE, inertia=EYE), ValueError, "inertia"),
    "inertia shape": (lambda w: w.add(SPHERE, mass=1.0, inertia=np.eye(2)), ValueError, "inertia"),
    "position NaN": (lambda w: w.add(SPHERE, position=(0, math.nan, 0)), ValueError, "position y"),
    "position four": (lambda w: w.add(SPHERE, position=np.zeros(4)), ValueError, "position"),
    "orientation zero": (lambda w: w.add(SPHERE, orientation=(0, 0, 0, 0)), ValueError, "orientation"),
    "orientation three": (lambda w: w.add(SPHERE, orientation=(1, 0, 0)), ValueError, "orientation"),
    "friction negative": (lambda w: w.add(SPHERE, friction=-1.0), ValueError, "friction"),
    "restitution": (lambda w: w.add(SPHERE, restitution=1.1), ValueError, "restitution"),
    "dynamic half-space": (lambda w: w.add(sg.Shape.half_space((0, 0, 1))), ValueError, "half-space"),
    "velocity None": (lambda w: setattr(w["box"], "velocity", None), TypeError, "velocity"),
    "velocity of fixed": (lambda w: setattr(w["floor"], "velocity", (1, 0, 0)), ValueError, "floor"),
    "positions shape": (lambda w: setattr(w, "positions", np.zeros((3, 3))), ValueError, "positions"),
    "positions transposed": (lambda w: setattr(w, "positions", np.zeros((3, 2))), ValueError, "positions"),
    "positions None": (lambda w: setattr(w, "positions", None), TypeError, "positions"),
    "positions text": (lambda w: setattr(w, "positions", [["a", "b", "c"]] * 2), TypeError, "positions"),
    "positions bool": (lambda w: setattr(w, "positions", np.zeros((2, 3), bool)), TypeError, "positions"),
    "orientations": (lambda w: setattr(w, "orientations", np.ones((2, 4))), ValueError, "orientations"),
    "velocities inf": (lambda w: setattr(w, "velocities", np.full((2, 3), np.inf)), ValueError, "velocities"),
    "force NaN": (lambda w: w["box"].add_force((0, 0, math.nan)), ValueError, "force"),
    "force on fixed": (lambda w: w["floor"].add_force((0, 0, 1)), ValueError, "push"),
    "force at": (lambda w: w["box"].add_force((0, 0, 1), at=(1, 2)), ValueError, "at"),
    "material None": (lambda w: setattr(w["box"], "material", None), TypeError, "material|Material"),
    "gravity": (lambda _: sg.World(gravity=(0, 0, math.inf)), ValueError, "gravity"),
    "gravity two": (lambda _: sg.World(gravity=(0, 0)), ValueError, "gravity"),
    "method": (lambda _: sg.World(method="magic"), ValueError, "method"),
    "tolerance": (lambda _: sg.World(tolerance=-1.0), ValueError, "tolerance"),
    "unknown setting": (lambda _: sg.World(gravitation=1), TypeError, "gravitation"),
    "fraction": (lambda _: sg.World(stabilisation=sg.Stabilisation.split_impulse(2.0)), ValueError, "fraction"),
    "sleeping": (lambda _: sg.World(sleeping="yes"), TypeError, "sleeping"),
    "impact": (lambda _: sg.World(impact="magic"), ValueError, "impact"),
    "steps negative": (lambda w: w.run(-1), (OverflowError, ValueError), "steps|negative"),
    "steps float": (lambda w: w.run(1.5), TypeError, "steps"),
    "dt None": (lambda w: w.step(None), TypeError, "dt"),
    "every zero": (lambda w: w.run(1, every=0), ValueError, "every"),
    "record unknown": (lambda w: w.run(1, record=["colours"]), ValueError, "record.*colours"),
    "callback": (lambda w: w.run(1, callback=3), TypeError, "callback"),
    "joint kind": (lambda w: w.add_joint("glue", "box"), ValueError, "kind"),
    "joint without length": (lambda w: w.add_joint("distance", "box"), ValueError, "length"),
    "joint to nobody": (lambda w: w.add_joint("ball", "nobody"), KeyError, "nobody"),
    "joint to None": (lambda w: w.add_joint("ball", None), TypeError, "a:"),
    "joint to itself": (lambda w: w.add_joint("ball", "box", "box"), ValueError, "same body"),
    "joint of fixed": (lambda w: w.add_joint("ball", "floor"), ValueError, "dynamic"),
    "snapshot text": (lambda w: w.restore("bytes"), TypeError, "snapshot|bytes"),
    "W shape": (lambda _: sg.solve(np.eye(4), Q, mu=0.5), ValueError, "W"),
    "W None": (lambda _: sg.solve(None, Q, mu=0.5), TypeError, "W"),
    "W NaN": (lambda _: sg.solve(np.full((3, 3), np.nan), Q, mu=0.5), ValueError, "W"),
    "W asymmetric": (lambda _: sg.solve(EYE + np.triu(np.ones((3, 3)), 1), Q, mu=0.5), ValueError, "symmetric"),
    "W negative": (lambda _: sg.solve(-EYE, Q, mu=0.5), ValueError, "negative"),
    "q None": (lambda _: sg.solve(EYE, None, mu=0.5), TypeError, "q"),
    "q matrix": (lambda _: sg.solve(EYE, EYE, mu=0.5), ValueError, "q"),
    "q rows": (lambda _: sg.solve(np.eye(4), np.zeros(4), mu=0.5), ValueError, "contacts"),
    "mu missing": (lambda _: sg.solve(EYE, Q), ValueError, "mu"),
    "mu negative": (lambda _: sg.solve(EYE, Q, mu=-0.5), ValueError, "friction coefficient"),
    "mu count": (lambda _: sg.solve(EYE, Q, mu=[0.5] * 5), ValueError, "mu"),
    "mu and blocks": (lambda _: sg.solve(EYE, Q, mu=0.5, blocks=[sg.Block.contact(0.5)]), ValueError, "blocks"),
    "blocks of text": (lambda _: sg.solve(EYE, Q, blocks=["contact"]), TypeError, "blocks"),
    "blocks rows": (lambda _: sg.solve(EYE, Q, blocks=[sg.Block.normal()]), ValueError, "blocks"),
    "joint rows": (lambda _: sg.solve(np.eye(9), np.zeros(9), blocks=[sg.Block.joint(9)]), ValueError, "9"),
    "r length": (lambda _: sg.certify(EYE, Q, 0.5, [1.0]), ValueError, "r"),
    "r None": (lambda _: sg.certify(EYE, Q, 0.5, None), TypeError, "r"),
    "guess length": (lambda _: sg.solve(EYE, Q, 0.5, guess=[1.0]), ValueError, "guess"),
    "solve tolerance": (lambda _: sg.solve(EYE, Q, 0.5, tolerance=math.nan), ValueError, "tolerance"),
    "problem twice": (lambda _: sg.solve(sg.Problem(EYE, Q, 0.5), Q), TypeError, "q"),
    "rollout params": (lambda w: sg.rollout(w, 3, 1, members=1), TypeError, "params"),
    "rollout body": (lambda w: sg.rollout(w, {"nobody": {"velocity": (0, 0, 0)}}, 1, members=1), KeyError, "nobody"),
    "rollout quantity": (lambda w: sg.rollout(w, {"box": {"colour": 1}}, 1, members=1), ValueError, "colour"),
    "rollout shape": (lambda w: sg.rollout(w, {"box": {"velocity": np.zeros((4, 2))}}, 1), ValueError, "velocity"),
    "rollout counts": (
        lambda w: sg.rollout(w, {"box": {"velocity": np.zeros((4, 3)), "friction": np.zeros(3)}}, 1),
        ValueError,
        "members",
    ),
    "rollout nothing": (lambda w: sg.rollout(w, {}, 1), ValueError, "members"),
    "rollout threads": (lambda w: sg.rollout(w, {}, 1, members=1, threads=0), ValueError, "threads"),
    "rollout steps": (
        lambda w: sg.rollout(w, {"box": {"force": np.zeros((2, 7, 3))}}, 5),
        ValueError,
        "force",
    ),
    "advance none": (lambda _: sg.advance([], 1), ValueError, "worlds"),
    "advance text": (lambda _: sg.advance(["w"], 1), TypeError, r"worlds\[0\]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_argument_is_named(world, name):
    call, kind, words = WRONG[name]
    before = world.state_hash
    with pytest.raises(kind, match=words):
        call(world)
    assert world.state_hash == before
    assert world.step(0.01).certified


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.tolist(),
        lambda x: tuple(map(tuple, x.tolist())),
        lambda x: x.astype(np.float32),
        lambda x: x.astype(np.int64),
        lambda x: x.astype(">f8"),
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: np.ascontiguousarray(x.T).T,
        lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64).reshape(x.shape),
        lambda x: np.ma.masked_array(x),
    ],
    ids=[
        "list",
        "tuple",
        "f4",
        "i8",
        "big-endian",
        "fortran",
        "strided",
        "negative",
        "transposed",
        "unaligned",
        "masked",
    ],
)
def test_any_layout_of_numbers_is_understood(world, make):
    values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    world.positions = make(values)
    np.testing.assert_array_equal(world.positions, values)


def test_broadcast_and_read_only_arrays_are_read(world):
    frozen = np.broadcast_to(np.array([1.0, 2.0, 3.0]), (2, 3))
    world.positions = frozen
    np.testing.assert_array_equal(world.positions, frozen)
    assert not frozen.flags.writeable
