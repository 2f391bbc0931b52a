"""Going back, copying, and sending worlds elsewhere."""

from __future__ import annotations

import copy
import pickle

import pytest

import signorini as sg


def test_restored_world_takes_the_same_steps(world):
    world.run(30, dt=0.01)
    kept = world.snapshot()
    first = world.run(40, dt=0.01, hashes=True)
    world.restore(kept)
    again = world.run(40, dt=0.01, hashes=True)
    assert (first["hash"] == again["hash"]).all()


def test_pickle_copy_and_fork_have_the_same_future(world):
    world.run(30, dt=0.01)
    others = [
        pickle.loads(pickle.dumps(world)),
        copy.copy(world),
        copy.deepcopy(world),
        world.fork(),
        sg.World.from_snapshot(world.snapshot()),
    ]
    world.run(40, dt=0.01)
    for other in others:
        other.run(40, dt=0.01)
        assert other.state_hash == world.state_hash
        assert other.time == world.time


def test_damaged_snapshots_are_refused(world):
    world.run(10, dt=0.01)
    before = world.state_hash
    kept = world.snapshot()
    for cut in range(0, len(kept), max(1, len(kept) // 50)):
        with pytest.raises(sg.SnapshotError):
            world.restore(kept[:cut])
    for index in range(0, len(kept), max(1, len(kept) // 100)):
        damaged = bytearray(kept)
        damaged[index] ^= 1
        with pytest.raises(sg.SnapshotError):
            world.restore(bytes(damaged))
    assert world.state_hash == before


def test_shapes_scenes_and_materials_travel():
    shape = sg.Shape.compound([(sg.Shape.sphere(1), (0, 0, 1)), (sg.Shape.cuboid((1, 1, 1)), (0, 0, -1), (1, 0, 0, 0))])
    assert pickle.loads(pickle.dumps(shape)).to_dict() == shape.to_dict()
    material = sg.Material(0.3, 0.2)
    assert pickle.loads(pickle.dumps(material)) == material
    scene = sg.Scene.from_dict({"name": "s", "bodies": [{"name": "b", "shape": {"sphere": {"radius": 1.0}}}]})
    assert pickle.loads(pickle.dumps(scene)) == scene
