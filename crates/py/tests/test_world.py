"""The engine through Python, against answers from paper."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

import signorini as sg

G = 9.81


def floor(world: sg.World, friction: float = 0.5) -> sg.Body:
    return world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", friction=friction, name="floor")


def test_free_fall_is_a_parabola():
    world = sg.World()
    ball = world.add(sg.Shape.sphere(0.1), position=(0, 0, 100), velocity=(2, 0, 0))
    run = world.run(100, dt=0.01)
    assert world.time == pytest.approx(1.0)
    np.testing.assert_allclose(ball.position, [2.0, 0.0, 100 - G / 2], atol=1e-9)
    np.testing.assert_allclose(run["energy"], run["energy"][0], rtol=1e-12)


def test_block_on_floor_slides_as_far_as_coulomb_says():
    # v²/(2 μ g) with μ = √(0.3·0.3), up to one step of the first-order integrator of contact.
    world = sg.World()
    floor(world, friction=0.3)
    block = world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), friction=0.3, position=(0, 0, 0.5), velocity=(2, 0, 0))
    run = world.run(400, dt=0.005)
    assert run.certified
    assert block.position[0] == pytest.approx(4 / (2 * 0.3 * G), abs=2 * 0.005)
    np.testing.assert_allclose(block.velocity, 0, atol=1e-9)


def test_contacts_carry_the_weight():
    world = sg.World()
    floor(world)
    box = world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), mass=3.0, position=(0, 0, 0.5), name="box")
    report = world.step(0.01)
    contacts = world.contacts
    assert report.contacts == len(contacts) == 4
    assert {world.names[i] for i in contacts["a"]} | {world.names[i] for i in contacts["b"]} == {"box", "floor"}
    sign = np.where(contacts["b"] == world.names.index("box"), 1.0, -1.0)
    force = (sign[:, None] * contacts["impulse"]).sum(axis=0) / 0.01
    np.testing.assert_allclose(force, [0, 0, 3 * G], atol=1e-7)
    np.testing.assert_allclose(box.constraint_force, [0, 0, 3 * G], atol=1e-7)
    assert contacts.flags.writeable
    assert contacts.flags.owndata or contacts.base is not None


def test_no_contacts_is_an_empty_array_with_the_same_fields(world):
    assert len(world.contacts) == 0
    assert set(world.contacts.dtype.names) == {"a", "b", "point", "normal", "gap", "impulse", "velocity"}


def test_energy_ledger_closes(world):
    for _ in range(100):
        ledger = world.step(0.01).energy
        assert abs(ledger.closure) <= 1e-9 * max(1.0, ledger.scale)
        change = ledger.after.total - ledger.before.total
        parts = (
            ledger.stopped,
            ledger.external,
            ledger.normal,
            ledger.friction,
            ledger.joints,
            ledger.motor,
            ledger.spring,
        )
        parts += (ledger.driven,)
        assert change == pytest.approx(sum(parts) + ledger.integration + ledger.stabilisation, abs=1e-8)


def test_pendulum_keeps_its_length():
    world = sg.World()
    bob = world.add(sg.Shape.sphere(0.1), mass=1.0, position=(1, 0, 0), name="bob")
    joint = world.add_joint("distance", bob, anchor_b=(0, 0, 0), length=1.0)
    assert joint.kind == "distance"
    run = world.run(200, dt=0.005)
    assert run.certified
    assert np.linalg.norm(bob.position) == pytest.approx(1.0, abs=1e-4)
    joint.remove()
    assert not joint.alive
    with pytest.raises(sg.HandleError):
        joint.remove()


def test_joint_between_bodies_by_name():
    world = sg.World(gravity=(0, 0, 0))
    world.add(sg.Shape.sphere(0.1), position=(0, 0, 0), name="a")
    world.add(sg.Shape.sphere(0.1), position=(1, 0, 0), velocity=(0, 1, 0), name="b")
    world.add_joint("ball", "a", "b", anchor_a=(0.5, 0, 0), anchor_b=(-0.5, 0, 0))
    before = sum(body.momentum for body in world)
    world.run(50, dt=0.01)
    np.testing.assert_allclose(sum(body.momentum for body in world), before, atol=1e-9)


def test_arrays_are_copies_in_the_order_of_names():
    world = sg.World()
    world.add(sg.Shape.sphere(0.1), position=(3, 0, 0), name="c")
    world.add(sg.Shape.sphere(0.1), position=(1, 0, 0), name="a")
    world.add(sg.Shape.sphere(0.1), position=(0, 0, 0), name=7)
    world.add(sg.Shape.sphere(0.1), position=(9, 0, 0))
    assert world.names == [7, "a", "c", None]
    positions = world.positions
    np.testing.assert_array_equal(positions[:, 0], [0, 1, 3, 9])
    positions[:] = 5.0
    np.testing.assert_array_equal(world.positions[:, 0], [0, 1, 3, 9])


def test_setting_arrays_is_all_or_nothing(world):
    before = world.state_hash
    positions = world.positions
    positions[world.names.index("box")] = [0, 0, 5]
    positions[world.names.index("floor"), 1] = np.nan
    with pytest.raises(ValueError, match=r"positions\[1\].*floor"):
        world.positions = positions
    assert world.state_hash == before
    velocities = world.velocities
    velocities[:] = 1.0
    with pytest.raises(ValueError, match="fixed"):
        world.velocities = velocities
    assert world.state_hash == before
    world.positions = world.positions
    world.orientations = world.orientations
    world.velocities = world.velocities
    world.angular_velocities = world.angular_velocities
    assert world.state_hash == before


def test_setting_arrays_sets_every_body(world):
    row = world.names.index("box")
    for name, value in {"positions": [1, 2, 3], "velocities": [4, 5, 6], "angular_velocities": [0, 1, 0]}.items():
        array = getattr(world, name)
        array[row] = value
        setattr(world, name, array)
        np.testing.assert_array_equal(getattr(world, name)[row], value)
    quaternion = [math.cos(0.3), 0, 0, math.sin(0.3)]
    array = world.orientations
    array[row] = quaternion
    world.orientations = array
    np.testing.assert_allclose(world["box"].orientation, quaternion, atol=1e-15)


def test_results_do_not_depend_on_the_order_of_adding():
    def build(order):
        world = sg.World()
        for name in order:
            if name == "floor":
                floor(world)
            else:
                height = 0.5 + 1.0 * int(name)
                world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), position=(0.01 * int(name), 0, height), name=name)
        world.run(50, dt=0.01)
        return world.state_hash

    assert build(["floor", "0", "1", "2"]) == build(["2", "floor", "1", "0"])


def test_run_equals_stepping(world):
    other = world.fork()
    run = world.run(60, dt=0.01, hashes=True)
    hashes = []
    for _ in range(60):
        other.step(0.01)
        hashes.append(other.state_hash)
    np.testing.assert_array_equal(run["hash"], np.array(hashes, np.uint64))


def test_run_records_states(world):
    run = world.run(20, dt=0.01, record=["positions", "orientations"], every=5)
    assert run.states["positions"].shape == (4, 2, 3)
    assert run.states["orientations"].shape == (4, 2, 4)
    np.testing.assert_allclose(run.states["time"], [0.05, 0.1, 0.15, 0.2])
    np.testing.assert_array_equal(run.states["positions"][-1], world.positions)
    assert run.names == world.names


def test_callback_sees_every_step_and_may_change_the_world(world):
    seen = []

    def push(given, report):
        assert given is world
        seen.append((given.time, report.status))
        given["box"].add_force((0, 0, 2.0 * G))

    run = world.run(10, dt=0.01, callback=push)
    assert len(seen) == run.steps == 10
    assert world.run(10, dt=0.01, callback=lambda w, _: w.steps < 15).steps == 5


def test_run_as_tables(world):
    run = world.run(10, dt=0.01)
    frame = run.to_pandas()
    assert list(frame.columns) == list(run)
    assert len(frame) == 10
    assert run.to_polars().shape == (10, len(run))
    assert dict(run).keys() == run.columns.keys()


def test_columns_are_made_once_and_survive_pickling(world):
    # More rows than are turned into columns at a time, and not a multiple of that.
    run = world.run(150, dt=0.01, hashes=True)
    np.testing.assert_allclose(run["time"], 0.01 * np.arange(1, 151), rtol=1e-12)
    assert run["contacts"].dtype == np.int64
    assert len(run["contacts"]) == 150
    assert run["certified"].dtype == np.bool_
    np.testing.assert_allclose(run["energy"], run["kinetic"] + run["potential"], rtol=1e-12, atol=1e-12)
    assert run["time"] is run.columns["time"]
    for other in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run), copy.copy(run)):
        assert list(other) == list(run)
        assert (other.dt, other.tolerance, other.names) == (run.dt, run.tolerance, run.names)
        for column in run:
            np.testing.assert_array_equal(other[column], run[column])
    assert len(world.run(0)["time"]) == 0


def test_refused_step_leaves_the_world_and_keeps_the_run():
    world = sg.World(max_contacts=3)
    floor(world)
    world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), position=(0, 0, 0.8), name="box")
    with pytest.raises(sg.StepError, match="4 contacts exceed the limit of 3") as caught:
        world.run(1000, dt=0.01)
    completed = caught.value.completed
    assert completed is not None
    assert completed.steps == world.steps > 5
    before = world.state_hash
    with pytest.raises(sg.StepError):
        world.step(math.nan)
    with pytest.raises(sg.StepError):
        world.step(-1.0)
    assert world.state_hash == before


def test_degraded_step_is_a_status_not_an_exception(world):
    world.settings = world.settings.replace(method="pgs", max_iterations=1, tolerance=1e-14)
    run = world.run(60, dt=0.01)
    assert not run.certified
    assert run["residual"].max() > 0


def test_mass_properties_may_be_given():
    world = sg.World()
    inertia = np.diag([0.2, 0.3, 0.4])
    body = world.add(sg.Shape.sphere(0.1), mass=2.0, inertia=inertia, centre=(0, 0, 0.05))
    np.testing.assert_allclose(body.inertia, inertia)
    np.testing.assert_allclose(body.centre_of_mass, [0, 0, 0.05])
    np.testing.assert_allclose(world.centres, [[0, 0, 0.05]])
    with pytest.raises(ValueError, match="triangle"):
        world.add(sg.Shape.sphere(0.1), mass=1.0, inertia=np.diag([1.0, 1.0, 3.0]))


def test_shapes_of_every_kind():
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    assert sg.Shape.hull(corners).volume == pytest.approx(8.0)
    assert sg.Shape.capsule(1.0, 0.5).volume == pytest.approx(math.pi * 0.25 * 2 + math.pi / 6)
    assert sg.Shape.cylinder(1.0, 0.5).volume == pytest.approx(math.pi * 0.25 * 2)
    assert sg.Shape.cone(1.0, 0.5).volume == pytest.approx(math.pi * 0.25 * 2 / 3)
    low, high = sg.Shape.cuboid((1, 2, 3)).bounds
    assert (low, high) == ([-1, -2, -3], [1, 2, 3])
    ground = sg.Shape.height_field(np.zeros((3, 4)), (1.0, 2.0))
    mesh = sg.Shape.mesh([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]])
    for surface in (ground, mesh):
        world = sg.World()
        world.add(surface, kind="fixed", name="ground")
        ball = world.add(sg.Shape.sphere(0.2), position=(0.1, 0.1, 0.2), name="ball")
        assert world.run(30, dt=0.01).certified
        assert ball.position[2] == pytest.approx(0.2, abs=1e-3)


def test_bodies_compare_and_hash(world):
    assert world["box"] == world["box"]
    assert world["box"] != world["floor"]
    assert len({world["box"], world["box"], world["floor"]}) == 2
    assert "box" in world
    assert world["box"] in world
    assert "nobody" not in world
    assert len(world) == 2
    with pytest.raises(KeyError, match="nobody"):
        world["nobody"]


def test_problems_of_a_step_are_the_ones_it_solves(world):
    world.run(100, dt=0.01)
    (problem,) = world.problems(0.01)
    solution = problem.solve(tolerance=1e-9)
    report = world.step(0.01)
    assert solution.solved
    assert len(problem.blocks) == report.contacts


def test_fast_body_does_not_pass_through_a_wall():
    world = sg.World(gravity=(0, 0, 0))
    world.add(sg.Shape.cuboid((0.001, 5, 5)), kind="fixed", name="wall")
    bullet = world.add(sg.Shape.sphere(0.01), position=(-5, 0, 0), velocity=(1000, 0, 0), fast=True, name="bullet")
    assert bullet.fast
    world.run(3, dt=0.01)
    assert bullet.position[0] == pytest.approx(-0.011, abs=1e-6)
    bullet.fast = False
    assert not bullet.fast


def test_plates_that_are_told_where_to_be_lift_a_box():
    world = sg.World()
    floor(world)
    box = world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), mass=1.0, friction=0.5, position=(0, 0, 0.5), name="box")
    plate = sg.Shape.cuboid((0.1, 1, 1))
    sides = {
        side: world.add(plate, kind="kinematic", friction=0.5, position=(0.6 * side, 0, 1.2), name=f"plate {side}")
        for side in (-1, 1)
    }
    for step in range(1, 51):
        squeeze, lift = 4e-5 * min(step / 10, 1), 0.005 * max(step - 10, 0)
        for side, body in sides.items():
            body.move_to((side * (0.6 - squeeze), 0, 1.2 + lift), dt=0.01)
        assert world.step(0.01).status == "certified"
    assert sides[1].position == pytest.approx((0.6 - 4e-5, 0, 1.4), abs=1e-12)
    assert box.position == pytest.approx((0, 0, 0.7), abs=1e-6)
    sides[1].move_to(sides[1].position, (math.cos(0.1), 0, 0, math.sin(0.1)), dt=0.01)
    assert sides[1].angular_velocity == pytest.approx((0, 0, 20), abs=1e-9)
    with pytest.raises(sg.WorldError, match="dynamic"):
        box.move_to((0, 0, 0), dt=0.01)
    with pytest.raises(sg.WorldError, match="time of the move"):
        sides[1].move_to((0, 0, 0), dt=0.0)


def test_bodies_at_rest_sleep_and_wake():
    world = sg.World(sleeping=True)
    floor(world)
    box = world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), position=(0, 0, 0.5), name="box")
    run = world.run(100, dt=0.01)
    assert box.sleeping
    assert run["sleeping"][-1] == 1
    box.wake()
    assert not box.sleeping
    assert world.settings.sleeping == pytest.approx((5e-3, 1e-2, 0.5))
    assert world.settings.replace(sleeping=False).sleeping is None
    assert world.settings.replace(sleeping=(1e-3, 1e-3, 1.0)).sleeping == (1e-3, 1e-3, 1.0)


def test_body_that_leaves_the_numbers_is_quarantined_and_the_step_degraded():
    world = sg.World(gravity=(0, 0, 0))
    lost = world.add(sg.Shape.sphere(0.1), velocity=(9e7, 0, 0), name="lost")
    fine = world.add(sg.Shape.sphere(0.1), velocity=(1, 0, 0), position=(0, 9, 0), name="fine")
    run = world.run(10, dt=50.0)
    assert not run.certified
    assert run["quarantined"][-1] == 1
    assert lost.quarantined
    assert not fine.quarantined
    np.testing.assert_allclose(fine.position, [500, 9, 0])


def test_newtons_cradle_passes_the_impact_on():
    world = sg.World(gravity=(0, 0, 0), impact="sequential")
    for index in range(4):
        velocity = (1 if index == 0 else 0, 0, 0)
        world.add(
            sg.Shape.sphere(0.5), position=(index, 0, 0), velocity=velocity, restitution=1.0, friction=0, name=index
        )
    world.run(5, dt=0.01)
    np.testing.assert_allclose(world.velocities[:, 0], [0, 0, 0, 1], atol=1e-9)


def test_the_certificate_tells_its_parts(world):
    report = world.step(0.01)
    certificate = report.certificate
    assert report.certified
    assert certificate.met
    assert report.misses == certificate.misses == []
    names = [part.name for part in certificate.parts]
    assert names == ["velocity", "overlap", "joint_gap", "joint_turn", "closure", "energy_rise", "momentum", "stages"]
    for part in certificate.parts:
        assert part == getattr(certificate, part.name)
        assert part.met
        assert part.value <= part.bound
        assert part.name in repr(part)
    assert certificate.to_dict()["overlap"]["bound"] == certificate.overlap.bound
    assert repr(certificate) == "StepCertificate(met)"
    assert report.to_dict()["certificate"] == certificate.to_dict()


def test_a_joint_that_cannot_fit_is_named():
    world = sg.World(gravity=(0, 0, 0))
    rod = world.add(sg.Shape.sphere(0.1), mass=1.0, name="rod")
    # Two sockets of one body, a metre apart in the world: no pose fits.
    world.add_joint("ball", rod, anchor_b=(0, 0, 0))
    world.add_joint("ball", rod, anchor_b=(1, 0, 0), corrected=True)
    report = world.step(0.01)
    assert not report.certified
    assert report.status == "degraded"
    gap = report.certificate.joint_gap
    assert not gap.met
    assert gap.value > 0.4
    assert gap.unit == "m"
    assert gap.bodies == ["rod", "the world"]
    assert gap.joint is not None
    assert "joint_gap" in [part.name for part in report.misses]
    assert "joint_gap" in repr(report.certificate)
    run = world.run(5, dt=0.01)
    assert (run["joint_gap"] > 0.4).all()
    assert (run["overlap"] == 0).all()
    assert run["energy_rise"].shape == (5,)


def wheels(count):
    """Balls of 1 kg and radius 0.5 m, inertia 0.1 kg·m², on hinges about y."""
    world = sg.World(gravity=(0, 0, 0))
    joints = []
    for index in range(count):
        body = world.add(sg.Shape.sphere(0.5), mass=1, name=f"wheel {index}", position=(2 * index, 0, 0))
        hinge = world.add_joint("revolute", body, anchor_b=(2 * index, 0, 0), axis_a=(0, 1, 0), axis_b=(0, 1, 0))
        joints.append(hinge)
    return world, joints


def test_a_gear_ties_two_joints():
    # α₁ = τ/(I + I/ρ²), and the force along the second is what turns it.
    world, (first, second) = wheels(2)
    gear = world.add_gear(first, second, -2.0)
    assert gear.alive
    assert gear.offset == 0
    assert [term[1:] for term in gear.terms] == [(0, 1.0), (0, 2.0)]
    first.set_force(0.5)
    run = world.run(60, dt=1 / 60)
    assert run.certified
    assert abs(first.velocity[0] - 0.5 / 0.125) < 1e-9
    assert abs(second.velocity[0] + 0.5 * first.velocity[0]) < 1e-9
    assert abs(second.forces[0]["gear"] + 0.1 * 0.5 / 0.125 / 2) < 1e-6
    assert gear.error <= 1e-8
    assert len(world.gears) == 1
    gear.remove()
    assert not gear.alive
    assert world.gears == []
    with pytest.raises(sg.HandleError):
        _ = gear.error
    assert "removed" in repr(gear)


def test_a_coupling_ties_several_coordinates():
    world, (cage, left, right) = wheels(3)
    gear = world.add_coupling([(cage, 1.0), (left, -0.5), (right, 0, -0.5)])
    cage.set_force(0.6)
    world.run(60, dt=1 / 60)
    # α = τ/(I + 4/(1/I + 1/I)) = τ/3I.
    assert abs(cage.velocity[0] - 0.6 / 0.3) < 1e-9
    assert abs(cage.velocity[0] - 0.5 * (left.velocity[0] + right.velocity[0])) < 1e-9
    left.remove()
    assert not gear.alive
    with pytest.raises(ValueError, match="factor 1"):
        world.add_gear(cage, right, 0.0)
    with pytest.raises(ValueError, match="no such coordinate"):
        world.add_gear(cage, right, 1.0, coordinates=(0, 1))
    with pytest.raises(ValueError, match="do not fit"):
        world.add_gear(cage, right, 1.0, offset=0.5)
    with pytest.raises(TypeError, match=r"terms\[1\]"):
        world.add_coupling([(cage, 1.0), (right,)])
    assert world.add_gear(cage, right, 1.0, offset=0.5, corrected=True).alive
