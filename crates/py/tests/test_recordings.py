"""Recordings: written while running, read back bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg


def test_recording_holds_every_step(world, tmp_path):
    path = tmp_path / "run.mcap"
    run = world.run(50, dt=0.01, record=["positions"], hashes=True, file=path)
    recording = sg.Recording(path)
    assert recording.finished
    assert not recording.damage
    assert recording.names == ["box", "floor"]
    assert recording.method == "exact"
    assert len(recording) == 51
    states = recording.states()
    np.testing.assert_array_equal(states["hash"][1:], run["hash"])
    np.testing.assert_array_equal(states["positions"][1:], run.states["positions"])
    np.testing.assert_array_equal(states["velocities"][-1], world.velocities)
    assert recording.states(every=10)["orientations"].shape == (6, 2, 4)
    assert states["sleeping"].shape == states["quarantined"].shape == (51, 2)
    assert states["sleeping"].dtype == bool
    assert not states["sleeping"].any()
    assert recording.report(49)["status"] == "certified"
    with pytest.raises(IndexError):
        recording.report(50)
    with pytest.raises(ValueError, match="every"):
        recording.states(every=0)


def test_recording_with_a_callback_and_an_interruption(world, tmp_path):
    path = tmp_path / "run.mcap"

    def fail(given, _report):
        if given.steps == 30:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        world.run(50, dt=0.01, callback=fail, file=path)
    assert len(sg.Recording(path)) == 31


def test_files_that_are_no_recordings_are_left_alone(world, tmp_path):
    path = tmp_path / "precious.txt"
    path.write_text("do not overwrite")
    with pytest.raises(sg.RecordingError):
        world.run(1, file=path)
    assert path.read_text() == "do not overwrite"
    with pytest.raises(OSError, match=r"precious|record"):
        sg.Recording(path)
    with pytest.raises(sg.RecordingError):
        sg.Recording(tmp_path / "missing.mcap")
    assert world.step(0.01).certified
