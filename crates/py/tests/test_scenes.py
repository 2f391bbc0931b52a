"""Scenes by name, from files and from worlds."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg

TOML = """
name = "ball"
step = 0.01
duration = 0.5

[[bodies]]
name = "floor"
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }

[[bodies]]
name = "ball"
shape = { sphere = { radius = 0.5 } }
position = [0, 0, 2]
"""


def test_built_in_scenes_build_and_step():
    names = sg.scenes()
    assert len(names) > 5
    for name in names:
        scene = sg.Scene.named(name)
        assert scene.name == name
        assert scene.description
        world = scene.build()
        assert len(world) > 0
        world.step(scene.step)
    assert sg.World.from_scene(names[0]).names == sg.Scene.named(names[0]).build().names
    with pytest.raises(sg.SceneError, match=names[0]):
        sg.Scene.named("nothing of the kind")
    with pytest.raises(sg.SceneError, match="neither a file nor"):
        sg.World.from_scene("nothing of the kind")


def test_toml_json_and_files_say_the_same(tmp_path):
    scene = sg.Scene.from_toml(TOML)
    assert scene.steps == 50
    assert sg.Scene.from_json(scene.to_json()) == scene
    assert sg.Scene.from_toml(scene.to_toml()) == scene
    assert sg.Scene.from_dict(scene.to_dict()) == scene
    path = tmp_path / "ball.toml"
    path.write_text(TOML)
    assert sg.Scene.load(path) == scene
    hashes = {sg.World.from_scene(start).state_hash for start in (scene, path, str(path))}
    assert len(hashes) == 1
    result = sg.rollout(path, {"ball": {"velocity": (0, 0, 0)}}, 10, members=2)
    assert (result.steps == 10).all()


def test_wrong_scenes_name_the_place(tmp_path):
    with pytest.raises(sg.SceneError, match=r"bodies\[1\]"):
        sg.Scene.from_toml(TOML.replace("radius = 0.5", "radius = -1"))
    with pytest.raises(sg.SceneError, match=r"line|:"):
        sg.Scene.from_toml(TOML.replace("kind", "knid"))
    with pytest.raises(sg.SceneError, match=r"missing\.toml"):
        sg.Scene.load(tmp_path / "missing.toml")
    with pytest.raises(TypeError, match="scene"):
        sg.World.from_scene(3.5)


def test_world_can_be_written_down_and_built_again(world):
    world.run(20, dt=0.01)
    again = world.describe(0.01).build()
    assert again.names == world.names
    np.testing.assert_allclose(again.positions, world.positions, atol=1e-14)
    np.testing.assert_allclose(again.velocities, world.velocities, atol=1e-14)


def test_materials_and_their_rules():
    # Maximum beats the geometric mean: μ = 0.9 stops the block after v²/(2 μ g).
    world = sg.World()
    floor = world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", friction=0.1, name="floor")
    rough = sg.Material(0.9, friction_rule="maximum")
    block = world.add(sg.Shape.cuboid((0.5,) * 3), material=rough, position=(0, 0, 0.5), velocity=(1, 0, 0), name="b")
    world.run(200, dt=0.002)
    assert block.position[0] == pytest.approx(1 / (2 * 0.9 * 9.81), abs=0.003)
    assert block.material == rough
    assert floor.material.friction_rule == "geometric_mean"
    with pytest.raises(ValueError, match="friction_rule"):
        sg.Material(0.5, friction_rule="harmonic")
