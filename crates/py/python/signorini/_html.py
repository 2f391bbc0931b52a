"""Tables that notebooks show. Each function is a ``_repr_html_`` of a class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._core import Certificate, CertificatePart, Solution, StepCertificate, StepReport, World
    from ._run import Run

_MOST_ROWS = 20
"""Rows shown of long tables."""


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def _vector(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


def world(world: World) -> str:
    """Bodies, where they are and how fast."""
    bodies = world.bodies
    rows: list[Sequence[object]] = []
    for body in bodies[:_MOST_ROWS]:
        mass = f"{body.mass:.4g}" if body.kind == "dynamic" else ""
        rows.append(
            (body.name, body.kind, mass, _vector(body.position), _vector(body.velocity), _vector(body.angular_velocity))
        )
    if len(bodies) > _MOST_ROWS:
        rows.append((f"… {len(bodies) - _MOST_ROWS} more", "", "", "", "", ""))
    head = ("body", "kind", "mass [kg]", "position [m]", "velocity [m/s]", "angular velocity [rad/s]")
    return _table(repr(world).strip("<>"), head, rows)


def _small(value: float, digits: int = 3) -> str:
    """A number of any size; zero is told from small."""
    return f"{value:.{digits - 1}e}" if value else "0"


def _cell(value: object) -> str:
    """A value of an array."""
    return ("yes" if value else "no") if isinstance(value, np.bool_) else f"{value:.6g}"


def _parts(title: str, parts: Iterable[CertificatePart]) -> str:
    rows = [
        (
            part.name,
            _small(part.value),
            _small(part.bound),
            part.unit,
            "met" if part.met else "missed",
            " and ".join(part.bodies),
        )
        for part in parts
    ]
    return _table(title, ("part", "value", "bound", "unit", "", "worst at"), rows)


def step_certificate(certificate: StepCertificate) -> str:
    """Part by part."""
    return _parts(repr(certificate), certificate.parts)


def report(report: StepReport) -> str:
    """The certificate part by part, and where the energy went."""
    works = {name: work for name, work in report.energy.to_dict().items() if isinstance(work, float) and work != 0.0}
    works["closure"] = report.energy.closure
    energy = _table("energy ledger", ("work", "[J]"), [(name, _small(work, 4)) for name, work in works.items()])
    return _parts(repr(report), report.certificate.parts) + energy


def certificate(certificate: Certificate) -> str:
    """The residuals, with their units."""
    units = {
        "natural": "m/s",
        "normal": "m/s",
        "penetration_rate": "m/s",
        "joint_rate": "m/s",
        "creep": "m/s",
        "floor": "m/s",
        "speed": "m/s",
        "scaled": "",
        "natural_rel": "",
        "fclib_error": "",
        "pull": "N·s",
        "outside_cone": "N·s",
        "signorini": "J",
        "dissipation_defect": "J",
    }
    rows: list[Sequence[object]] = [(name, _small(getattr(certificate, name), 4), unit) for name, unit in units.items()]
    rows += [(f"blocks: {state}", count, "") for state, count in certificate.counts.items() if count]
    return _table("certificate", ("residual", "value", "unit"), rows)


def solution(solution: Solution) -> str:
    """What was solved, and its certificate."""
    effort = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in solution.effort.items())
    rows = [
        ("status", solution.status),
        ("method", solution.method),
        ("residual", f"{solution.residual:.3e} m/s of {solution.tolerance:.1e}"),
        ("effort", effort),
        ("time", f"{solution.seconds:.3e} s"),
    ]
    return _table("solution", ("", ""), rows) + certificate(solution.certificate)


def run(run: Run) -> str:
    """The first and last rows of the columns that matter most."""
    columns = ("time", "certified", "residual", "overlap", "joint_gap", "energy", "contacts")
    count = len(run["time"])
    shown = range(count) if count <= _MOST_ROWS else (*range(_MOST_ROWS // 2), *range(count - _MOST_ROWS // 2, count))
    rows = [[_cell(run[column][row]) for column in columns] for row in shown]
    return _table(repr(run).strip("<>"), columns, rows)
