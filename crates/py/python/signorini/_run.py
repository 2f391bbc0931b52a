"""The table that a run returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._core import RunTable


_KEPT = (
    "_columns",
    "states",
    "names",
    "dt",
    "tolerance",
    "steps",
    "certified_steps",
    "worst_residual",
    "stride",
)


class Run(Mapping[str, "NDArray[Any]"]):
    """One row per step (or for every ``stride`` steps): a mapping from column names to arrays.

    Columns (SI): ``certified``, ``time``, ``residual`` (largest error at any contact [m/s]), ``floor`` (round-off of
    that), ``speed``, ``penetration`` (deepest overlap at the start of the step), ``overlap`` (deepest that the step
    left at its end), ``joint_gap`` (widest joint at the end), ``energy_rise`` and ``momentum_defect`` (shares, parts
    of the certificate), ``kinetic``, ``potential``, ``energy``, the works of the energy ledger (``external_work``,
    ``normal_work``, ``friction_work``, ``joint_work``, ``motor_work``, ``spring_work``, ``driven_work``,
    ``integration``, ``stabilisation``, ``stopped``) and what they leave unexplained (``closure``),
    ``restitution_scale``, ``seconds`` (wall time), and counts (``contacts``, ``impacts``, ``islands``, ``pairs``,
    ``open``, ``slip``, ``stick``, ``sleeping``,
    ``quarantined``, ``corrected``, ``iterations``, ``factorizations``, ``indeterminacy``). ``hash`` if asked for.

    >>> import signorini as sg
    >>> world = sg.World()
    >>> ball = world.add(sg.Shape.sphere(0.5), mass=1.0)
    >>> run = world.run(3, dt=0.1)
    >>> run["time"].round(9).tolist()
    [0.1, 0.2, 0.3]
    >>> run
    <Run of 3 steps of 0.1 s: 3 certified, largest residual 0.0e+00 m/s>
    """

    def __init__(self, table: RunTable) -> None:
        # Arrays are made when somebody looks: a run that nobody looks at costs next to nothing.
        self._table = table

    @cached_property
    def _columns(self) -> dict[str, NDArray[Any]]:
        return self._table.columns()

    @cached_property
    def states(self) -> dict[str, NDArray[Any]]:
        """Recorded states by name, shape (kept, bodies, 3 or 4), and their ``time`` [s]."""
        return self._table.states()

    @cached_property
    def names(self) -> list[str | int | None]:
        """Names of the bodies, in the order of the states' second axis."""
        return self._table.names()

    @cached_property
    def dt(self) -> float:
        """Time step [s]."""
        return self._table.dt

    @cached_property
    def tolerance(self) -> float:
        """What the residual is held against [m/s]."""
        return self._table.tolerance

    @cached_property
    def steps(self) -> int:
        """Steps taken, whatever was kept of them."""
        return self._table.steps

    @cached_property
    def certified_steps(self) -> int:
        """How many of them are certified."""
        return self._table.certified_steps

    @cached_property
    def worst_residual(self) -> float:
        """Largest residual of any step [m/s], also of those without a row."""
        return self._table.worst_residual

    @cached_property
    def stride(self) -> int:
        """Steps from one row to the next."""
        return self._table.stride

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled and copied: the arrays, not the table they are made of."""
        return {name: getattr(self, name) for name in _KEPT}

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self._columns[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def certified(self) -> bool:
        """Whether every step is certified, also those without a row."""
        return self.certified_steps == self.steps

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns by name."""
        return dict(self._columns)

    def to_pandas(self) -> Any:
        """As a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self._columns)

    def to_polars(self) -> Any:
        """As a polars DataFrame."""
        import polars

        return polars.DataFrame(self._columns)

    def plot(self, *, show: bool = False) -> Figure:
        """Residual against tolerance, energy and contacts over time; needs matplotlib. Returns the figure."""
        from ._plot import plot_run

        return plot_run(self, show)

    def __repr__(self) -> str:
        worst = f"largest residual {self.worst_residual:.1e} m/s"
        return f"<Run of {self.steps} steps of {self.dt:g} s: {self.certified_steps} certified, {worst}>"

    def _repr_html_(self) -> str:
        from ._html import run

        return run(self)
