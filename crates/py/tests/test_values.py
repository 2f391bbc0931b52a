"""Values: pickled, copied, shown in short and as tables."""

from __future__ import annotations

import copy
import inspect
import pickle
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

import signorini as sg


def there_and_back(value: object) -> object:
    return pickle.loads(pickle.dumps(value))


def values(world: sg.World) -> list[object]:
    """One of every class of values."""
    report = world.step(1 / 60)
    for _ in range(40):
        report = world.step(1 / 60)
    (problem,) = world.problems(1 / 60)
    settings = sg.Settings(gravity=(0, 0.5, -9), budget="unlimited", sleeping=(0.1, 0.2, 0.3), impact="sequential")
    return [
        report,
        report.certificate,
        report.certificate.overlap,
        report.velocity,
        report.energy,
        report.energy.after,
        settings,
        sg.Settings(),
        sg.Stabilisation.none(),
        sg.Stabilisation.split_impulse(0.1, 2e-4, 0.03),
        sg.Stabilisation.velocity_bias(0.3),
        sg.Material(0.4, 0.2, friction_rule="maximum"),
        sg.Block.contact(0.5),
        sg.Block.planar_contact(0.5),
        sg.Block.joint(4),
        sg.Block.interval(-np.inf, 2.0),
        problem.certify(np.zeros(problem.rows)),
        world.describe(),
    ]


def test_every_value_is_the_same_after_a_pickle_and_a_copy(world: sg.World) -> None:
    for value in values(world):
        for other in (there_and_back(value), copy.copy(value), copy.deepcopy(value)):
            assert other == value, value
            assert type(other) is type(value)


def test_a_pickle_keeps_what_is_not_finite() -> None:
    # Two bodies at one place: the certificate of such a step may hold infinite numbers, and they are told.
    world = sg.World()
    for name in ("a", "b"):
        world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), name=name)
    report = world.step(0.01)
    assert there_and_back(report) == report
    bad = sg.certify(np.eye(3), [-1.0, 0.0, 0.0], mu=0.5, r=[1e308, 1e308, 0.0])
    assert there_and_back(bad) == bad


def test_problems_solutions_and_recordings_are_pickled(world: sg.World, tmp_path: Path) -> None:
    run = world.run(60, dt=1 / 60, file=tmp_path / "run.mcap")
    (problem,) = world.problems(1 / 60)
    other = there_and_back(problem)
    assert isinstance(other, sg.Problem)
    assert (other.W == problem.W).all()
    assert (other.q == problem.q).all()
    assert other.blocks == problem.blocks
    solution = problem.solve(history=True)
    same = there_and_back(solution)
    assert isinstance(same, sg.Solution)
    assert (same.impulses == solution.impulses).all()
    assert (same.velocity == solution.velocity).all()
    assert (same.certificate, same.effort, same.status) == (solution.certificate, solution.effort, solution.status)
    assert (same.method, same.seconds, same.tolerance) == (solution.method, solution.seconds, solution.tolerance)
    assert same.history is not None
    assert solution.history is not None
    assert (same.history["residual"] == solution.history["residual"]).all()
    recording = there_and_back(sg.Recording(tmp_path / "run.mcap"))
    assert isinstance(recording, sg.Recording)
    assert len(recording) == 61
    again = there_and_back(run)
    assert isinstance(again, sg.Run)
    assert (again.steps, again.certified, again.worst_residual) == (60, run.certified, run.worst_residual)
    with pytest.raises(ValueError, match="not a pickle"):
        sg.Energy._from_bytes(b"\xff")


def test_an_ensemble_is_pickled_and_told_in_a_line(world: sg.World) -> None:
    pytest.importorskip("polars")
    result = sg.rollout(world, {"box": {"velocity": np.eye(3)}}, 10)
    same = there_and_back(result)
    assert isinstance(same, sg.Ensemble)
    assert (same.hashes == result.hashes).all()
    assert repr(result).startswith("<Ensemble of 3 members, 2 bodies each: 0 with degraded steps, 0 stopped early")
    assert "\n" not in repr(result)
    assert set(result.missed) == {part.name for part in world.step(0.01).certificate.parts}
    assert all((counts == 0).all() for counts in result.missed.values())
    table = result.to_polars()
    assert table.shape[0] == 3
    assert set(table.columns) == set(result.to_pandas().columns)


def test_reprs_are_short(world: sg.World) -> None:
    table = sg.World()
    table.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    table.add(sg.Shape.cuboid((0.1, 0.1, 0.3)), mass=5, position=(0, 0, 0.3), name="block")
    held = [sg.statics.is_stable(table), sg.statics.force_bounds(table), sg.statics.safety_factor(table)]
    many = sg.Shape.hull(np.random.default_rng(0).normal(size=(200, 3)))
    handles = [world, world["box"], world.energy, world.events, world.queries]
    for value in [*values(world), *handles, *held, many]:
        assert len(repr(value)) < 160, value
        assert " object at 0x" not in repr(value)
        assert "\n" not in repr(value)
    assert repr(world) == "<World of 2 bodies at 0.683333 s, 41 steps>"


def test_notebooks_get_tables(world: sg.World) -> None:
    world["box"].velocity = (0, 0, 0)
    world.add(sg.Shape.sphere(0.1), position=(3, 0, 1), name="<b>")
    run = world.run(60, dt=1 / 60)
    report = world.step(1 / 60)
    (problem, *_) = world.problems(1 / 60)
    solution = problem.solve()
    for shown, word in [
        (world, "velocity [m/s]"),
        (report, "energy ledger"),
        (report.certificate, "joint_gap"),
        (solution, "exact"),
        (solution.certificate, "natural"),
        (run, "certified"),
    ]:
        text = shown._repr_html_()  # type: ignore[attr-defined]
        assert text.startswith("<table>"), text
        assert word in text
        assert text.count("<tr>") == text.count("</tr>")
    assert "&lt;b&gt;" in world._repr_html_()
    assert "<b>" not in world._repr_html_()


def test_a_world_takes_the_keywords_of_settings_and_says_so_itself() -> None:
    with pytest.raises(TypeError, match=r"World\(\) got an unexpected keyword argument 'timestep'; time steps"):
        sg.World(timestep=0.01)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="World") as wrong:
        sg.World(colour="red")  # type: ignore[call-arg]
    for name in inspect.signature(sg.Settings).parameters:
        assert f" {name}" in str(wrong.value)


def test_the_canonical_answer_does_not_depend_on_the_order_of_contacts() -> None:
    # Four legs of a sliding table: redundant contacts share the load in many ways, and each way slides differently.
    problem = sg.Problem.named("table8x8_spin")
    found = []
    for order in (np.arange(len(problem.blocks)), np.arange(len(problem.blocks))[::-1]):
        rows = np.concatenate([3 * block + np.arange(3) for block in order])
        blocks = [problem.blocks[block] for block in order]
        shuffled = sg.Problem(problem.W[np.ix_(rows, rows)], problem.q[rows], blocks=blocks)
        solution = shuffled.solve(selection="canonical", tolerance=1e-9)
        assert solution.solved
        velocity = np.empty(problem.rows)
        velocity[rows] = solution.velocity
        found.append(velocity)
    assert np.abs(found[0] - found[1]).max() < 1e-7
    with pytest.raises(ValueError, match="selection: 'canonical' is of method exact, not of nsgs"):
        problem.solve("nsgs", selection="canonical")
    with pytest.raises(ValueError, match="'best' is none of any, canonical"):
        sg.solve(problem, selection="best")  # type: ignore[arg-type]


def test_a_run_keeps_what_it_is_told_to(world: sg.World) -> None:
    everything = world.fork().run(50, dt=0.01, record=["positions"], every=5, hashes=True)
    for keep in (0, 1, 7, 10, 50, 100):
        run = world.fork().run(50, dt=0.01, record=["positions"], every=5, hashes=True, keep=keep)
        rows, states = min(keep, 50), min(keep, 10)
        assert (run.steps, run.certified_steps, run.worst_residual) == (50, 50, everything.worst_residual)
        for name in ("time", "energy", "hash", "contacts"):
            assert (run[name] == everything[name][50 - rows :]).all()
            assert len(run[name]) == rows
        if keep:
            assert (run.states["positions"] == everything.states["positions"][10 - states :]).all()
            assert len(run.states["time"]) == states
    run = world.fork().run(50, dt=0.01, stride=10)
    assert (run["time"] == everything["time"][9::10]).all()
    assert (run.stride, run.steps, everything.stride) == (10, 50, 1)
    with pytest.raises(ValueError, match="stride: at least 1"):
        world.run(1, stride=0)


def test_a_billion_steps_with_a_callback_do_not_keep_a_billion_rows(world: sg.World) -> None:
    seen = []

    def stop(_world: sg.World, report: sg.StepReport) -> bool:
        seen.append(report.contacts)
        return len(seen) < 2000

    run = world.run(10**9, dt=0.01, callback=stop)
    # At most a million rows: one for every thousand steps.
    assert (run.stride, run.steps, len(run["time"])) == (1000, 2000, 2)


def test_a_busy_world_says_who_has_it(world: sg.World) -> None:
    met = []

    def within(world: sg.World, _report: sg.StepReport) -> bool:
        with pytest.raises(sg.BusyError, match="came from its own callback"):
            world.step(0.01)

        def elsewhere() -> None:
            with pytest.raises(sg.BusyError, match="is being run by another thread"):
                world.step(0.01)
            met.append(True)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        return False

    world.run(5, callback=within)
    assert met == [True]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_a_signal_handler_is_told_that_its_own_thread_has_the_world(world: sg.World) -> None:
    said = []

    def look(_signal: int, _frame: object) -> None:
        try:
            said.append(str(world.time))
        except sg.BusyError as error:
            said.append(str(error))

    before = signal.signal(signal.SIGALRM, look)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        while not said:
            world.run(10_000, dt=1e-3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert "further up on this thread" in said[0] or said[0].replace(".", "").isdigit()


def test_recorded_contacts_are_those_of_the_world(world: sg.World, tmp_path: Path) -> None:
    path = tmp_path / "contacts.mcap"
    world.run(60, dt=1 / 60, file=path)
    recording = sg.Recording(path)
    last = recording.contacts(59)
    assert last.dtype == world.contacts.dtype
    assert (last["impulse"] == world.contacts["impulse"]).all()
    assert [recording.names[body] for body in (last["a"][0], last["b"][0])] == ["box", "floor"]
    with pytest.raises(IndexError, match="60 of 60 steps"):
        recording.contacts(60)
