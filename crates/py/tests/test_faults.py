"""K2 to K9: handles, threads, callbacks, signals, panics, forks and leaks."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import falling_box

import signorini as sg


def pile(count: int) -> sg.World:
    """Boxes apart on a floor: as many islands, so that all threads of the engine are used."""
    world = sg.World()
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    for index in range(count):
        position = (1.5 * (index % 10), 1.5 * (index // 10), 0.5)
        world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), position=position, name=index)
    return world


def in_child(code: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=False
    )


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_handles_of_removed_bodies_are_dead(world):
    box = world["box"]
    box.remove()
    assert not box.alive
    assert "removed" in repr(box)
    uses = [
        lambda: box.position,
        lambda: box.shape,
        lambda: setattr(box, "velocity", (0, 0, 0)),
        lambda: box.add_force((0, 0, 1)),
        lambda: box.remove(),
        lambda: world.add_joint("ball", box),
    ]
    again = world.add(sg.Shape.sphere(0.1), name="again")  # takes the slot
    for use in uses:
        with pytest.raises(sg.HandleError):
            use()
    assert again.alive


def test_handles_of_another_world_are_refused(world):
    stranger = falling_box()["box"]
    with pytest.raises(sg.HandleError):
        world.add_joint("ball", stranger)


def test_body_keeps_its_world_alive():
    box = falling_box()["box"]
    gc.collect()
    np.testing.assert_array_equal(box.position, [0, 0, 0.6])
    contacts = falling_box().contacts
    gc.collect()
    assert len(contacts) == 0


def test_arrays_are_copies_that_outlive_their_world():
    world = falling_box()
    while len(world.contacts) == 0:
        world.step(0.01)
    contacts, before = world.contacts, world.state_hash
    contacts["gap"][:] = 7.0
    assert world.state_hash == before
    assert (world.contacts["gap"] != 7.0).all()
    del world
    gc.collect()
    assert (contacts["gap"] == 7.0).all()


def test_second_thread_is_refused_at_once_and_nothing_hangs():
    world = pile(40)
    refused, done = [], threading.Event()

    def run() -> None:
        world.run(400, dt=0.01)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        for use in (lambda: world.step(0.01), lambda: world.positions, lambda: world.snapshot()):
            try:
                use()
            except RuntimeError as error:
                refused.append(error)
        if len(refused) > 10:
            break
        time.sleep(0)
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert len(refused) > 3
    assert all(isinstance(error, sg.BusyError) for error in refused)
    world.step(0.01)


def test_threads_with_a_world_each_do_not_disturb_each_other():
    expected = falling_box()
    expected.run(200, dt=0.01)
    worlds = [falling_box() for _ in range(4)]
    threads = [threading.Thread(target=world.run, args=(200, 0.01)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert {world.state_hash for world in worlds} == {expected.state_hash}


def test_exception_of_a_callback_propagates_and_the_world_lives_on(world):
    def fail(given, _report):
        if given.steps == 3:
            raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        world.run(10, dt=0.01, callback=fail)
    assert world.steps == 3
    assert world.run(2, dt=0.01).certified


def test_callback_may_not_advance_its_own_world(world):
    snapshot = world.snapshot()
    for use in (lambda w: w.step(0.01), lambda w: w.run(1), lambda w: w.restore(snapshot)):
        with pytest.raises(sg.BusyError, match="callback"):
            world.run(3, dt=0.01, callback=lambda w, _, use=use: use(w))
    with pytest.raises(sg.BusyError, match="callback"):
        world.run(3, dt=0.01, callback=lambda w, _: sg.advance([w], 1))
    world.step(0.01)


def test_callback_may_remove_bodies_but_not_while_states_are_kept(world):
    def remove(given, _report):
        if given.steps == 3:
            given["box"].remove()

    other = world.fork()
    assert world.run(5, dt=0.01, callback=remove).steps == 5
    with pytest.raises(ValueError, match="record"):
        other.run(5, dt=0.01, callback=remove, record=["positions"])


def test_panic_is_an_exception_and_closes_the_world(world):
    with pytest.raises(sg.InternalError, match="provoked"):
        world._provoke_panic()
    for use in (lambda: world.step(0.01), lambda: world.positions, lambda: world.snapshot(), lambda: repr(world)):
        with pytest.raises(sg.InternalError, match="refuses"):
            use()
    assert issubclass(sg.InternalError, RuntimeError)
    assert falling_box().step(0.01).certified


@pytest.mark.parametrize(
    "work",
    [
        "world.run(10**9, dt=0.001)",
        "world.run(10**9, dt=0.001, callback=lambda w, r: None)",
        "sg.rollout(world, {}, 10**6, members=10**4, dt=0.001)",
    ],
    ids=["run", "callback", "rollout"],
)
def test_ctrl_c_returns_within_half_a_second(work):
    code = f"""
        import signal, signorini as sg, sys, time
        # A program that is started in the background ignores interrupts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        world = sg.World()
        world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
        world.add(sg.Shape.cuboid((0.3, 0.2, 0.1)), position=(0, 0, 0.6), name="box")
        print("ready", flush=True)
        try:
            {work}
        except KeyboardInterrupt:
            print(f"stopped {{time.time()}} {{world.step(0.01).certified}}", flush=True)
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.0)
        asked = time.time()
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate(timeout=30)
    finally:
        # Whatever went wrong, nobody is left running.
        child.kill()
        child.wait()
    word, when, certified = output.split()
    assert (word, certified) == ("stopped", "True")
    assert float(when) - asked < 0.5


def test_fork_of_the_process_after_threads_were_used():
    world = pile(20)
    world.run(3, dt=0.01)  # starts the threads of the engine, which a forked child does not have
    expected = world.fork()
    expected.run(3, dt=0.01)
    reader, writer = multiprocessing.Pipe(duplex=False)
    child = os.fork() if sys.version_info < (3, 12) else None
    if child is None:
        pytest.skip("forking a process with threads warns from Python 3.12 on")
    if child == 0:
        try:
            world.run(3, dt=0.01)
            first = world.state_hash
            result = sg.rollout(falling_box(), {}, 3, members=4, dt=0.01)
            writer.send((first, len(set(result.hashes.tolist()))))
        finally:
            os._exit(0)
    assert reader.poll(30), "the child hangs"
    assert reader.recv() == (expected.state_hash, 1)
    os.waitpid(child, 0)


def test_a_hundred_thousand_worlds_leak_nothing():
    shape = sg.Shape.sphere(0.5)

    def make(count: int) -> None:
        for _ in range(count):
            world = sg.World()
            body = world.add(shape, name="ball")
            del world, body

    make(20_000)
    gc.collect()
    before = resident_bytes()
    make(100_000)
    gc.collect()
    grown = resident_bytes() - before
    assert grown < 4 << 20, f"{grown} bytes for 100 000 worlds"


def test_stepping_leaks_nothing(world):
    world.run(200, dt=0.01)
    before = resident_bytes()
    for _ in range(20_000):
        world.step(0.001)
    for _ in range(200):
        world.run(50, dt=0.001)
        world.contacts, world.positions, world.snapshot()
    gc.collect()
    assert resident_bytes() - before < 4 << 20


def test_import_needs_numpy_only():
    code = """
        import sys
        import signorini
        optional = {"scipy", "matplotlib", "pandas", "polars", "gymnasium", "ray", "tqdm"}
        print(sorted(optional & set(sys.modules)))
    """
    result = in_child(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"
