"""Contact problems on arrays, as functions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from ._core import Block, Certificate, Problem, Solution


def _problem(
    W: Any,
    q: ArrayLike | None,
    mu: ArrayLike | None,
    blocks: Sequence[Block] | None,
    symmetry: float | None,
) -> Problem:
    if isinstance(W, Problem):
        if q is not None or mu is not None or blocks is not None:
            raise TypeError("q, mu, blocks: a Problem has them already")
        return W
    if q is None:
        raise TypeError("q: expected an array of numbers, not None")
    return Problem(W, q, mu, blocks=blocks, symmetry=symmetry)


def solve(
    W: Any,
    q: ArrayLike | None = None,
    mu: ArrayLike | None = None,
    *,
    blocks: Sequence[Block] | None = None,
    method: str = "exact",
    tolerance: float = 1e-9,
    relative: bool = False,
    max_iterations: int | None = None,
    guess: ArrayLike | None = None,
    history: bool = False,
    selection: Literal["any", "canonical"] = "any",
    symmetry: float | None = 1e-6,
) -> Solution:
    """Solves ``u = W r + q`` under the laws of the blocks and certifies the answer.

    Args:
        W: Delassus matrix [1/kg], dense or scipy sparse; or a ``Problem``, then without q, mu and blocks.
        q: Velocities without any impulse [m/s].
        mu: Friction coefficients of contacts in rows (n, t1, t2): one for all, or one per contact. With two rows
            per coefficient the contacts are planar, rows (n, t).
        blocks: Any mixture of laws, instead of mu.
        method: One of ``methods()``.
        tolerance: Bound on the certificate's natural residual [m/s] over max(1 m/s, abs(q)).
        relative: Bound the dimensionless residuals instead.
        max_iterations: In the method's own unit; None is its default.
        guess: Impulses to start from [N·s].
        history: Keep the solver's own residual at every iteration.
        selection: Which of several exact answers method "exact" returns: "any", the first one found, or "canonical",
            the same motion for every order of the blocks.
        symmetry: Relative asymmetry of W that is allowed; None means any square matrix.

    Returns:
        Impulses [N·s] with their certificate. Not converging is no exception: look at ``solved``.

    >>> import numpy as np
    >>> import signorini as sg
    >>> W, q = np.eye(3) / 2, [-0.1, 0.16, 0.12]  # 2 kg meet the floor at 0.1 m/s, sliding at 0.2 m/s
    >>> solution = sg.solve(W, q, mu=0.5)
    >>> solution.solved, solution.impulses.round(9).tolist()
    (True, [0.2, -0.08, -0.06])
    >>> held = sg.solve(W, q, blocks=[sg.Block.normal(), sg.Block.joint(2)])
    >>> bool(abs(held.velocity).max() < 1e-9)
    True
    """
    problem = _problem(W, q, mu, blocks, symmetry)
    return problem.solve(
        method,
        tolerance=tolerance,
        relative=relative,
        max_iterations=max_iterations,
        guess=guess,
        history=history,
        selection=selection,
    )


def certify(
    W: Any,
    q: ArrayLike | None = None,
    mu: ArrayLike | None = None,
    r: ArrayLike | None = None,
    *,
    blocks: Sequence[Block] | None = None,
    symmetry: float | None = 1e-6,
) -> Certificate:
    """Grades impulses ``r`` [N·s], whoever found them: u is recomputed from W, q and r alone.

    >>> import numpy as np
    >>> import signorini as sg
    >>> good = sg.certify(np.eye(3) / 2, [-0.1, 0.2, 0.0], mu=0.5, r=[0.2, -0.1, 0.0])
    >>> good.meets(1e-12)
    True
    >>> bad = sg.certify(np.eye(3) / 2, [-0.1, 0.2, 0.0], mu=0.5, r=[0.2, 0.1, 0.0])  # friction that pushes
    >>> bad.natural > 0.05
    True
    """
    if r is None:
        raise TypeError("r: expected an array of numbers, not None")
    return _problem(W, q, mu, blocks, symmetry).certify(r)


def load_problem(path: str | os.PathLike[str]) -> Problem:
    """Reads a problem file (.fcp)."""
    return Problem.load(path)


def save_problem(path: str | os.PathLike[str], problem: Problem, *, name: str = "") -> None:
    """Writes a problem file that holds the problem bit for bit."""
    problem.save(path, name=name)
