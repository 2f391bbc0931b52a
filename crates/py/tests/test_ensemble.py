"""Many worlds at once: the same bits as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import falling_box

import signorini as sg

MEMBERS, STEPS, DT = 12, 40, 0.01


def params(seed: int = 1) -> dict:
    random = np.random.default_rng(seed)
    turns = random.normal(size=(MEMBERS, 4))
    return {
        "box": {
            "position": random.uniform((-1, -1, 0.5), (1, 1, 1), (MEMBERS, 3)),
            "orientation": turns / np.linalg.norm(turns, axis=1, keepdims=True),
            "velocity": random.normal(size=(MEMBERS, 3)),
            "angular_velocity": random.normal(size=(MEMBERS, 3)),
            "friction": random.uniform(0.1, 0.9, MEMBERS),
            "restitution": random.uniform(0.0, 0.5, MEMBERS),
            "force": random.normal(size=(MEMBERS, STEPS, 3)),
            "torque": random.normal(size=(MEMBERS, 3)),
        }
    }


def one_by_one(values: dict) -> list[sg.World]:
    worlds = []
    for member in range(MEMBERS):
        world = falling_box()
        box = world["box"]
        own = {name: value[member] for name, value in values["box"].items()}
        box.position, box.orientation = own["position"], own["orientation"]
        box.velocity, box.angular_velocity = own["velocity"], own["angular_velocity"]
        box.material = sg.Material(own["friction"], own["restitution"])
        for step in range(STEPS):
            box.add_force(own["force"][step])
            box.add_torque(own["torque"])
            world.step(DT)
        worlds.append(world)
    return worlds


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_rollout_equals_one_by_one_bit_for_bit(threads):
    values = params()
    world = falling_box()
    before = world.state_hash
    result = sg.rollout(world, values, STEPS, dt=DT, threads=threads)
    expected = one_by_one(values)
    assert not result.errors
    assert world.state_hash == before
    np.testing.assert_array_equal(result.hashes, np.array([w.state_hash for w in expected], np.uint64))
    for name in ("positions", "orientations", "velocities", "angular_velocities"):
        np.testing.assert_array_equal(getattr(result, name), np.array([getattr(w, name) for w in expected]))
    assert (result.steps == STEPS).all()
    np.testing.assert_allclose(result.energy, [w.energy.total for w in expected])


def test_advance_continues_existing_worlds():
    worlds = [falling_box() for _ in range(5)]
    twins = [falling_box() for _ in range(5)]
    result = sg.advance(worlds, 20, DT, record=["positions"], every=10)
    for twin in twins:
        twin.run(20, dt=DT)
    assert [w.state_hash for w in worlds] == [w.state_hash for w in twins] == result.hashes.tolist()
    assert result.recorded["positions"].shape == (5, 2, 2, 3)
    np.testing.assert_array_equal(result.recorded["positions"][:, -1], result.positions)
    with pytest.raises(sg.BusyError):
        sg.advance([worlds[0], worlds[0]], 1)


def test_values_without_members_hold_for_all():
    result = sg.rollout(falling_box(), {"box": {"velocity": (0, 0, 1), "friction": 0.2}}, 5, members=3, dt=DT)
    assert len(set(result.hashes.tolist())) == 1
    assert len(result) == 3


def test_gravity_of_members():
    world = sg.World()
    world.add(sg.Shape.sphere(0.1), name="ball")
    gravity = np.array([[0, 0, -9.81], [0, 0, -1.62], [1, 0, 0]])
    result = sg.rollout(world, None, 100, dt=DT, gravity=gravity)
    np.testing.assert_allclose(result.positions[:, 0], gravity / 2, atol=1e-9)


def test_failed_member_says_why_and_spares_the_others():
    world = sg.World(gravity=(0, 0, 0), max_contacts=3)
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    world.add(sg.Shape.cuboid((0.1, 0.1, 0.1)), position=(0, 0, 1), name="ball")
    velocity = np.zeros((3, 3))
    velocity[1, 2] = -30.0
    result = sg.rollout(world, {"ball": {"velocity": velocity}}, 10, dt=0.01, record=["positions"])
    assert list(result.errors) == [1]
    assert "contacts exceed" in result.errors[1]
    assert result.steps[0] == result.steps[2] == 10 > result.steps[1]
    assert np.isnan(result.recorded["positions"][1, -1]).all()
    assert np.isfinite(result.recorded["positions"][0]).all()
    nan = sg.rollout(world, {"ball": {"velocity": [[np.nan, 0, 0]]}}, 1)
    assert "velocity" in nan.errors[0]


def test_progress_and_tables():
    result = sg.rollout(falling_box(), params(), STEPS, dt=DT, progress=True)
    frame = result.to_pandas()
    assert len(frame) == MEMBERS
    assert {"hashes", "residual", "energy"} <= set(frame.columns)
    joined = sg.Ensemble.concatenate([result, result])
    assert len(joined) == 2 * MEMBERS
    np.testing.assert_array_equal(joined.hashes[MEMBERS:], result.hashes)


def test_rollout_from_a_scene():
    scene = sg.Scene.from_dict(
        {
            "name": "drop",
            "step": 0.005,
            "bodies": [
                {"name": "floor", "kind": "fixed", "shape": {"half_space": {"normal": [0, 0, 1]}}},
                {"name": "ball", "shape": {"sphere": {"radius": 0.5}}, "position": [0, 0, 1]},
            ],
        }
    )
    heights = np.array([[0, 0, 1.0], [0, 0, 2.0]])
    result = sg.rollout(scene, {"ball": {"position": heights}}, 100)
    np.testing.assert_allclose(result.positions[1, result.body("ball"), 2], 2 - 9.81 * 0.5**2 / 2, atol=1e-9)


def test_many_members_on_many_threads_agree():
    values = {"box": {"velocity": np.random.default_rng(3).normal(size=(64, 3))}}
    results = [sg.rollout(falling_box(), values, 30, dt=DT, threads=threads).hashes for threads in (1, 2, 7)]
    assert (results[0] == results[1]).all()
    assert (results[0] == results[2]).all()
