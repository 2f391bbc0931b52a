"""Rigid bodies in contact, with friction, where every step is solved and the solution is certified.

>>> import signorini as sg
>>> world = sg.World()
>>> floor = world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
>>> ball = world.add(sg.Shape.sphere(0.5), mass=1.0, position=(0, 0, 2), restitution=0.0, name="ball")
>>> run = world.run(120, dt=1 / 60)
>>> bool(run["certified"].all())
True
>>> abs(float(ball.position[2]) - 0.5) < 1e-3
True

Units are SI throughout. Arrays are copies: what a world hands out never changes behind your back.
"""

from __future__ import annotations

import os as _os

from . import statics
from ._core import (
    Block,
    Body,
    Certificate,
    CertificatePart,
    Energy,
    EnergyLedger,
    Events,
    Gear,
    Imu,
    Joint,
    Material,
    Problem,
    Queries,
    Recording,
    Robot,
    Scene,
    Settings,
    Shape,
    Solution,
    Stabilisation,
    StepCertificate,
    StepReport,
    World,
    __version__,
    _after_fork_in_child,
    methods,
    problems,
    scenes,
)
from ._ensemble import Ensemble, advance, rollout
from ._errors import (
    BusyError,
    HandleError,
    InternalError,
    ProblemError,
    RecordingError,
    SceneError,
    ShapeError,
    SignoriniError,
    SnapshotError,
    SolveError,
    StaticsError,
    StepError,
    WorldError,
)
from ._run import Run
from ._solve import certify, load_problem, save_problem, solve
from ._view import view

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_after_fork_in_child)

__all__ = [
    "Block",
    "Body",
    "BusyError",
    "Certificate",
    "CertificatePart",
    "Energy",
    "EnergyLedger",
    "Ensemble",
    "Events",
    "Gear",
    "HandleError",
    "Imu",
    "InternalError",
    "Joint",
    "Material",
    "Problem",
    "ProblemError",
    "Queries",
    "Recording",
    "RecordingError",
    "Robot",
    "Run",
    "Scene",
    "SceneError",
    "Settings",
    "Shape",
    "ShapeError",
    "SignoriniError",
    "SnapshotError",
    "Solution",
    "SolveError",
    "Stabilisation",
    "StaticsError",
    "StepCertificate",
    "StepError",
    "StepReport",
    "World",
    "WorldError",
    "__version__",
    "advance",
    "certify",
    "load_problem",
    "methods",
    "problems",
    "rollout",
    "save_problem",
    "scenes",
    "solve",
    "statics",
    "view",
]
