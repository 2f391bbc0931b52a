"""Figures show what they claim to show."""

from __future__ import annotations

import sys

import numpy as np
from matplotlib import pyplot

import signorini as sg


def test_run_plot_shows_residual_against_tolerance(world):
    run = world.run(60, dt=0.01)
    figure = run.plot()
    residual, energy, contacts = figure.axes
    assert residual.get_yscale() == "log"
    lines = {line.get_label(): line.get_ydata() for line in residual.get_lines()}
    assert (np.asarray(lines["tolerance"]) >= run.tolerance).all()
    np.testing.assert_array_equal(lines["residual"], np.maximum(run["residual"], 1e-18))
    assert "[J]" in energy.get_ylabel()
    assert contacts.get_ylabel() == "contacts"
    pyplot.close(figure)


def test_report_plot_with_and_without_contact(world):
    flying = world.step(0.001)
    assert flying.velocity is None
    assert flying.certificate.met
    pyplot.close(flying.plot())
    world.run(100, dt=0.01)
    report = world.step(0.01)
    assert report.velocity is not None
    figure = report.plot()
    assert figure.axes[0].get_xscale() == "log"
    assert figure.axes[1].get_xlabel() == "value over bound"
    pyplot.close(figure)


def test_view_hands_the_world_to_the_command(world, monkeypatch, tmp_path):
    started = []
    monkeypatch.setattr("subprocess.Popen", lambda arguments: started.append(arguments))
    world.run(10, dt=0.01)
    sg.view(world)
    sg.view(tmp_path / "scene.toml")
    (program, *words, path), (*_, given) = started
    assert program == sys.executable
    assert words == ["-m", "signorini", "view"]
    assert given == str(tmp_path / "scene.toml")
    shown = sg.Scene.load(path).build()
    np.testing.assert_allclose(shown.positions, world.positions, atol=1e-12)
