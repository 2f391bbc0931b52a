"""Figures; matplotlib is only imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._core import StepReport
    from ._run import Run

_SMALLEST_SHOWN = 1e-18


def _figure(rows: int, columns: int) -> tuple[Figure, list[Axes]]:
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plots need matplotlib: pip install 'signorini[plot]'") from missing
    figure, axes = pyplot.subplots(rows, columns, figsize=(8.0, 2.4 * rows), squeeze=False, layout="constrained")
    return figure, list(axes.flat)


def _finish(figure: Figure, show: bool) -> Figure:
    if show:
        from matplotlib import pyplot

        pyplot.show()
    return figure


def plot_run(run: Run, show: bool) -> Figure:
    """Residual on a log scale against the tolerance, energy, and contacts by state, over time."""
    figure, (residual, energy, contacts) = _figure(3, 1)
    time = run["time"]
    residual.semilogy(time, np.maximum(run["residual"], _SMALLEST_SHOWN), color="tab:blue", label="residual")
    residual.semilogy(time, np.full_like(time, run.tolerance), color="tab:red", linestyle="--", label="tolerance")
    residual.semilogy(
        time, np.maximum(run["floor"], _SMALLEST_SHOWN), color="tab:gray", linewidth=0.8, label="round-off"
    )
    degraded = ~run["certified"]
    residual.plot(time[degraded], run["residual"][degraded], "x", color="tab:red")
    residual.set_ylabel("largest error [m/s]")
    for column in ("energy", "kinetic", "potential"):
        energy.plot(time, run[column], label=column)
    energy.set_ylabel("energy [J]")
    contacts.stackplot(time, run["stick"], run["slip"], run["open"], labels=("stick", "slip", "open"), step="post")
    contacts.set_ylabel("contacts")
    contacts.set_xlabel("time [s]")
    for axes in (residual, energy, contacts):
        axes.legend(loc="upper right", fontsize="small")
        axes.grid(alpha=0.3)
    return _finish(figure, show)


def plot_report(report: StepReport, show: bool) -> Figure:
    """The parts of the certificate over their bounds, the errors of the contact problem, and the energy ledger."""
    figure, (errors, parts, works) = _figure(3, 1)
    shown = [part for part in report.certificate.parts if part.bound > 0]
    ratios = [max(part.value / part.bound, _SMALLEST_SHOWN) for part in shown]
    parts.barh([part.name for part in shown], ratios, color=["tab:blue" if part.met else "tab:red" for part in shown])
    parts.set_xscale("log")
    parts.axvline(1.0, color="tab:red", linestyle="--")
    parts.set_xlabel("value over bound")
    certificate = report.velocity
    if certificate is None:
        errors.text(0.5, 0.5, "nothing touched", ha="center", transform=errors.transAxes)
    else:
        names = ("scaled", "natural", "normal", "penetration_rate", "joint_rate", "creep", "floor")
        values = [max(float(getattr(certificate, name)), _SMALLEST_SHOWN) for name in names]
        errors.barh(names, values)
        errors.set_xscale("log")
        errors.axvline(report.tolerance, color="tab:red", linestyle="--")
        errors.set_xlabel(f"error [m/s], {report.status}")
    ledger: dict[str, Any] = report.energy.to_dict()
    entries = {name: value for name, value in ledger.items() if isinstance(value, float)}
    entries["closure"] = report.energy.closure
    works.barh(list(entries), list(entries.values()))
    works.set_xlabel("work [J]")
    return _finish(figure, show)
