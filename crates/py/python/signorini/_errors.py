"""What can go wrong. Every class is also one of Python's own: code that knows nothing of this package copes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._run import Run


class SignoriniError(Exception):
    """Base of all exceptions of the package."""


class WorldError(SignoriniError, ValueError):
    """A world refused something, and has not changed."""


class HandleError(WorldError, LookupError):
    """The body or joint is no longer part of its world, or belongs to another."""


class ShapeError(SignoriniError, ValueError):
    """A shape that cannot be built."""


class SceneError(SignoriniError, ValueError):
    """A scene that cannot be read or built; the message names the place."""


class SnapshotError(SignoriniError, ValueError):
    """Bytes that are not a snapshot of this version. The world has not changed."""


class RecordingError(SignoriniError, OSError):
    """A recording that cannot be written or read. What was written before it can be read."""


class ProblemError(SignoriniError, ValueError):
    """A contact problem that is not one, or a file that does not hold one."""


class SolveError(SignoriniError, ValueError):
    """A method that does not treat this problem. Not converging is not an error: see ``Solution.solved``."""


class StaticsError(SignoriniError, ValueError):
    """A question of statics without an answer: bodies that fall, or a program that was not solved to its tolerance."""


class StepError(SignoriniError, RuntimeError):
    """A step that was not taken. The world is as before, bit for bit.

    ``completed`` is the ``Run`` up to there if the step was one of ``World.run``, else None.
    """

    completed: Run | None = None


class BusyError(SignoriniError, RuntimeError):
    """The world is in use: by another thread, or by the run that called this callback."""


class InternalError(SignoriniError, RuntimeError):
    """A bug of the engine. The world it happened in refuses further use; the process lives on."""


for _class in list(vars().values()):
    if isinstance(_class, type) and issubclass(_class, SignoriniError):
        _class.__module__ = "signorini"
