"""What bodies are told besides, events and questions, from Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini import Material, Scene, Shape, World

G = 9.81
H = 0.016


def floor(world: World, **options: object) -> None:
    body = world.add(Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    body.configure(**options)


def test_a_box_on_a_belt_reaches_its_speed_after_v_over_mu_g() -> None:
    world = World()
    floor(world, surface_velocity=(1.0, 0.0, 0.0))
    box = world.add(Shape.cuboid((0.5, 0.5, 0.5)), mass=1.0, position=(0, 0, 0.5), name="box")
    # Friction is 0.5 on both: 1/(0.5 g) = 0.204 s.
    for step in range(1, 30):
        assert world.step(H).status == "certified"
        assert box.velocity[0] == pytest.approx(min(1.0, 0.5 * G * H * step), abs=1e-7)


def test_a_rolling_ball_is_slowed_by_five_sevenths_of_mu_r_g_over_r() -> None:
    world = World()
    radius, rolling = 0.1, 3e-3
    soft = Material(0.5, torsional_friction=1e-3, rolling_friction=rolling)
    assert repr(soft).endswith("torsional_friction=0.001, rolling_friction=0.003)")
    world.add(Shape.half_space((0, 0, 1)), kind="fixed", material=soft, name="floor")
    ball = world.add(
        Shape.sphere(radius),
        mass=2.0,
        position=(0, 0, radius),
        velocity=(0.5, 0, 0),
        angular_velocity=(0, 0.5 / radius, 0),
    )
    slowing = 5 / 7 * rolling * G / radius
    for step in range(1, 60):
        assert world.step(H).status == "certified"
        assert ball.velocity[0] == pytest.approx(max(0.0, 0.5 - slowing * H * step), abs=1e-7)
    with pytest.raises(ValueError, match="rolling friction"):
        world.add(Shape.sphere(1), material=Material(rolling_friction=-1.0))


def test_damping_and_gravity_scale() -> None:
    world = World()
    ball = world.add(Shape.sphere(0.5), mass=1.0, velocity=(2, 0, 0))
    ball.configure(gravity_scale=0.0, linear_damping=0.5)
    for _ in range(50):
        world.step(H)
    assert ball.velocity[0] == pytest.approx(2 * math.exp(-0.5 * 50 * H), abs=1e-12)
    assert ball.position[2] == 0.0
    assert ball.options["gravity_scale"] == 0.0
    with pytest.raises(ValueError, match="linear damping"):
        ball.configure(linear_damping=-1)
    with pytest.raises(TypeError, match="unexpected keyword"):
        ball.configure(weight=1)


def test_events_are_structured_arrays() -> None:
    world = World()
    floor(world)
    gate = world.add(Shape.cuboid((0.5, 0.5, 0.1)), kind="fixed", position=(0, 0, 1.5), name="gate")
    gate.configure(sensor=True)
    world.add(Shape.sphere(0.5), mass=1.0, position=(0, 0, 3.0), name="ball")
    names, phases, entered = world.names, [], 0
    for _ in range(80):
        world.step(H)
        events = world.events.contacts
        phases.extend(events["phase"].tolist())
        if (events["phase"] == 0).any():
            assert (names[events["a"][0]], names[events["b"][0]]) == ("ball", "floor")
            assert events["speed"][0] == pytest.approx(math.sqrt(2 * G * 2.5), abs=G * H)
        entered += int((world.events.sensors["phase"] == 0).sum())
    assert phases[0] == 0
    assert set(phases[1:]) == {1}
    assert entered == 1
    assert world.events.sleep.shape == (0,)


def test_rays_many_at_once_with_an_excluded_caster() -> None:
    world = World()
    ball = world.add(Shape.sphere(0.5), position=(0, 0, 5), name="ball")
    floor(world)
    origins = np.array([[0, 0, 9.0], [3, 0, 9.0]])
    bodies, distances, normals = world.queries.cast_rays(origins, [(0, 0, -1)] * 2, 100)
    assert [world.names[row] for row in bodies] == ["ball", "floor"]
    assert distances.tolist() == [3.5, 9.0]
    assert normals.shape == (2, 3)
    bodies, distances, _ = world.queries.cast_rays(origins, [(0, 0, -1)] * 2, 100, exclude=ball)
    assert distances.tolist() == [9.0, 9.0]
    found = world.queries.closest_point((0, 0, 5.75), 10.0)
    assert found is not None
    assert found[0] == ball
    assert found[1] == pytest.approx(0.25, abs=1e-8)
    assert world.queries.distance("ball", "floor") == pytest.approx(4.5, abs=1e-9)
    assert world.queries.overlaps(Shape.sphere(0.1), (0, 0, 5)) == [ball]


def test_bodies_change_in_mid_run() -> None:
    world = World()
    box = world.add(Shape.cuboid((0.5, 0.5, 0.5)), mass=1.0, position=(0, 0, 5))
    box.set_mass(4.0)
    box.add_impulse((8, 0, 0))
    assert box.velocity.tolist() == [2, 0, 0]
    lock = box.lock_axes("z", "xyz")
    for _ in range(10):
        world.step(H)
    assert box.position[2] == pytest.approx(5.0, abs=1e-9)
    assert lock is not None
    box.set_kind("fixed")
    assert box.kind == "fixed"
    box.set_shape(Shape.sphere(1.0))
    with pytest.raises(ValueError, match="none of x, y, z"):
        box.lock_axes("w")


def test_materials_and_parts() -> None:
    soft = Material(0.5, stiffness=1000.0, damping=20.0, tag=2, grain=((1, 0, 0), 0.2))
    assert (soft.stiffness, soft.damping, soft.tag) == (1000.0, 20.0, 2)
    world = World()
    floor(world)
    world.add(Shape.sphere(0.5), mass=1.0, position=(0, 0, 0.5), material=soft, name="ball")
    for _ in range(400):
        world.step(H)
    assert world["ball"].position[2] == pytest.approx(0.5 - G / 1000, abs=1e-8)
    ghost = Shape.compound([Shape.sphere(0.5).filtered(mask=0), (Shape.sphere(0.2).sensing(), (0, 0, -1))])
    scene = Scene.from_dict(world.describe().to_dict())
    assert scene.build()["ball"].material == soft
    body = world.add(ghost, mass=1.0, position=(5, 0, 3))
    for _ in range(80):
        world.step(H)
    assert body.position[2] < 0
