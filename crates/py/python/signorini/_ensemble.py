"""Many independent worlds: over all processors here, over a cluster in ``signorini.ray``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import Body, Robot, Scene, World, _advance, _rollout, scenes

Params = Mapping[Any, Mapping[str, ArrayLike]]
"""What differs from member to member: body or robot → quantity → array."""

_WIDTHS = {
    "position": 3,
    "orientation": 4,
    "velocity": 3,
    "angular_velocity": 3,
    "friction": 1,
    "restitution": 1,
    "force": 3,
    "torque": 3,
    "gravity": 3,
}
_ROBOT_QUANTITIES = ("q", "qd", "tau", "control")


@dataclass(frozen=True, repr=False)
class Ensemble:
    """Results of an ensemble, stacked: the first axis of every array is the member.

    A member whose step was refused stops there and says why in ``errors``; the others go on.
    """

    names: list[str | int | None]
    """Names of the bodies, in the order of the second axis."""
    positions: NDArray[np.float64]
    """Final, shape (members, bodies, 3) [m]."""
    orientations: NDArray[np.float64]
    """Final, shape (members, bodies, 4), quaternions (w, x, y, z)."""
    velocities: NDArray[np.float64]
    """Final, shape (members, bodies, 3) [m/s]."""
    angular_velocities: NDArray[np.float64]
    """Final, shape (members, bodies, 3) [rad/s]."""
    hashes: NDArray[np.uint64]
    """Fingerprint of the final state, bit by bit: the same for any number of threads and on any node."""
    steps: NDArray[np.int64]
    """Steps taken."""
    degraded: NDArray[np.int64]
    """Steps whose certificate did not meet the tolerance."""
    missed: dict[str, NDArray[np.int64]]
    """Steps in which each part of the certificate missed its bound, by part."""
    residual: NDArray[np.float64]
    """Largest error at any contact in any step [m/s]."""
    penetration: NDArray[np.float64]
    """Deepest overlap in any step [m]."""
    energy: NDArray[np.float64]
    """Final energy [J]."""
    contacts: NDArray[np.int64]
    """Contacts in the last step."""
    errors: dict[int, str]
    """Why members stopped early, by member."""
    recorded: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """Recorded states, shape (members, kept, bodies, 3 or 4); NaN from where a member failed."""

    def __len__(self) -> int:
        return len(self.hashes)

    def body(self, name: str | int) -> int:
        """Index of a body on the second axis."""
        return self.names.index(name)

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {f.name: getattr(self, f.name) for f in fields(self) if _one_per_member(self, f.name)}

    def to_pandas(self) -> Any:
        """One row per member: the numbers that are one per member, as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_polars(self) -> Any:
        """One row per member: the numbers that are one per member, as a polars DataFrame."""
        import polars

        return polars.DataFrame(self._columns())

    def __repr__(self) -> str:
        degraded = int(np.count_nonzero(self.degraded))
        worst = float(self.residual.max(initial=0.0))
        return (
            f"<Ensemble of {len(self)} members, {len(self.names)} bodies each: {degraded} with degraded steps, "
            f"{len(self.errors)} stopped early, largest residual {worst:.1e} m/s>"
        )

    @staticmethod
    def concatenate(parts: Sequence[Ensemble]) -> Ensemble:
        """One ensemble of several, in order."""
        if not parts:
            raise ValueError("parts: at least one ensemble")
        values: dict[str, Any] = {"names": parts[0].names, "errors": {}}
        values["missed"] = {name: np.concatenate([part.missed[name] for part in parts]) for name in parts[0].missed}
        start = 0
        for part in parts:
            values["errors"].update({start + member: why for member, why in part.errors.items()})
            start += len(part)
        for f in fields(Ensemble):
            if isinstance(getattr(parts[0], f.name), np.ndarray):
                values[f.name] = np.concatenate([getattr(part, f.name) for part in parts])
        values["recorded"] = {
            name: np.concatenate([part.recorded[name] for part in parts]) for name in parts[0].recorded
        }
        return Ensemble(**values)


def _one_per_member(ensemble: Ensemble, name: str) -> bool:
    value = getattr(ensemble, name)
    return isinstance(value, np.ndarray) and value.ndim == 1


def rollout(
    start: World | Scene | str | Path,
    params: Params | None,
    steps: int,
    *,
    dt: float | None = None,
    members: int | None = None,
    gravity: ArrayLike | None = None,
    record: Sequence[str] = (),
    every: int = 1,
    threads: int | None = None,
    progress: bool = False,
) -> Ensemble:
    """Runs many copies of a world, each with its own initial state, surfaces and forces, over all processors.

    Args:
        start: A world (which is not changed), a scene, the name of a built-in scene or the path of a file.
        params: Body (name, number or ``Body``) → quantity → values. Quantities are ``position`` [m], ``orientation``
            (w, x, y, z), ``velocity`` [m/s], ``angular_velocity`` [rad/s], ``friction``, ``restitution``, ``force`` [N]
            and ``torque`` [N·m]. Values have shape (members, 3); without the first axis they hold for all members.
            Forces and torques act in every step, or with shape (members, steps, 3) differ from step to step. A
            ``Robot`` of the world has ``q``, ``qd``, and ``tau`` and ``control``, which act in every step.
        steps: Number of steps.
        dt: Time step [s]; None is that of the scene, or 1/60 s.
        members: Number of members, if no values tell.
        gravity: Shape (members, 3) or (3,) [m/s²].
        record: States to keep at every ``every`` steps.
        threads: None means as many as there are processors. The results do not depend on it.
        progress: Shows a bar if tqdm is installed.

    >>> import numpy as np
    >>> import signorini as sg
    >>> world = sg.World()
    >>> floor = world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    >>> box = world.add(sg.Shape.cuboid((0.5, 0.5, 0.5)), position=(0, 0, 0.5), velocity=(3, 0, 0), name="box")
    >>> friction = np.array([0.1, 0.2, 0.4])
    >>> result = sg.rollout(world, {"box": {"friction": friction}, "floor": {"friction": friction}}, 300, dt=0.01)
    >>> slid = result.positions[:, result.body("box"), 0]  # v²/(2 μ g): 4.59, 2.29, 1.15 m
    >>> [round(float(x), 1) for x in slid]
    [4.6, 2.3, 1.1]
    """
    world, default_step = _world_of(start)
    inputs, count = _inputs(params, gravity, members)
    with _bar(count, progress) as report:
        result = _rollout(
            world,
            count,
            steps,
            default_step if dt is None else dt,
            inputs,
            threads,
            list(record),
            every,
            report,
        )
    return Ensemble(names=world.names, **result)


def advance(
    worlds: Sequence[World],
    steps: int,
    dt: float = 1.0 / 60.0,
    *,
    params: Params | None = None,
    record: Sequence[str] = (),
    every: int = 1,
    threads: int | None = None,
    progress: bool = False,
) -> Ensemble:
    """Steps existing worlds in place, over all processors; they must have equally many bodies.

    Takes ``params`` as ``rollout`` does, set before the first step.
    """
    worlds = list(worlds)
    for index, world in enumerate(worlds):
        if not isinstance(world, World):
            raise TypeError(f"worlds[{index}]: expected a World, not {type(world).__name__}")
    if not worlds:
        raise ValueError("worlds: at least one world")
    inputs, _ = _inputs(params, None, len(worlds))
    with _bar(len(worlds), progress) as report:
        result = _advance(worlds, steps, dt, inputs, threads, list(record), every, report)
    return Ensemble(names=worlds[0].names, **result)


def _world_of(start: World | Scene | str | Path) -> tuple[World, float]:
    if isinstance(start, World):
        return start, 1.0 / 60.0
    if isinstance(start, Scene):
        return start.build(), start.step
    scene = Scene.named(str(start)) if str(start) in scenes() else Scene.load(start)
    return scene.build(), scene.step


def _inputs(
    params: Params | None, gravity: ArrayLike | None, members: int | None
) -> tuple[list[tuple[Any, str, NDArray[np.float64]]], int]:
    """Every value as (members, width) or (members, steps, width), and the number of members."""
    given: list[tuple[Any, str, NDArray[np.float64]]] = []
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(f"params: expected a mapping from bodies to quantities, not {type(params).__name__}")
    for body, quantities in (params or {}).items():
        name = body.name if isinstance(body, Body) else body
        if name is None:
            raise ValueError("params: a body without a name cannot be found in the members; give it one")
        if not isinstance(quantities, Mapping):
            raise TypeError(f"params[{name!r}]: expected a mapping from quantities to arrays")
        allowed = _ROBOT_QUANTITIES if isinstance(body, Robot) else sorted(set(_WIDTHS) - {"gravity"})
        for quantity, value in quantities.items():
            if quantity not in allowed:
                raise ValueError(f"params[{name!r}]: {quantity!r} is none of {', '.join(allowed)}")
            given.append((name, quantity, _array(f"{quantity} of {name!r}", value)))
    if gravity is not None:
        given.append((None, "gravity", _array("gravity", gravity)))
    counts = {len(array) for _, quantity, array in given if _has_members(quantity, array)}
    if members is not None:
        counts.add(members)
    if not counts:
        raise ValueError("members: how many? no value has an axis of members")
    if len(counts) > 1:
        raise ValueError(f"params: different numbers of members: {sorted(counts)}")
    count = counts.pop()
    return [(name, quantity, _spread(quantity, array, count)) for name, quantity, array in given], count


def _array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name}: expected real numbers, found dtype {array.dtype}")
    return array.astype(np.float64)


def _has_members(quantity: str, array: NDArray[np.float64]) -> bool:
    return array.ndim >= (1 if _WIDTHS.get(quantity) == 1 else 2)


def _spread(quantity: str, array: NDArray[np.float64], members: int) -> NDArray[np.float64]:
    if _WIDTHS.get(quantity) == 1 and array.ndim <= 1:
        array = array.reshape(-1, 1)
    if array.ndim == 1:
        array = array.reshape(1, -1)
    if array.shape[0] == 1 and members != 1:
        array = np.broadcast_to(array, (members, *array.shape[1:]))
    return np.ascontiguousarray(array)


@contextmanager
def _bar(total: int, wanted: bool) -> Iterator[Callable[[int], None] | None]:
    if not wanted:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=total, unit="world", disable=None) as bar:

        def report(done: int) -> None:
            bar.update(done - bar.n)

        yield report
