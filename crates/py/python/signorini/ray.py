"""Ensembles over a Ray cluster: whole batches as tasks, each a ``signorini.rollout`` on its node.

A task that dies with its worker or node is run again elsewhere; since members are deterministic, it gives the same
bits. Needs ``pip install 'signorini[ray]'``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _ensemble
from ._core import Robot, Scene, World
from ._ensemble import Ensemble, Params

try:
    import ray
except ImportError as missing:
    raise ImportError("signorini.ray needs Ray: pip install 'signorini[ray]'") from missing


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
    chunk: int | None = None,
    threads: int = 1,
    retries: int = 5,
    progress: bool = False,
    options: dict[str, Any] | None = None,
) -> Ensemble:
    """As ``signorini.rollout``, over the cluster that ``ray.init`` connected to.

    Args:
        chunk: Members per task; None makes four tasks per processor of the cluster.
        threads: Processors per task.
        retries: How often a task may lose its worker; -1 is for ever.
        options: Further options of the Ray task, such as ``{"scheduling_strategy": "SPREAD"}``.
    """
    world, default_step = _ensemble._world_of(start)
    inputs, count = _ensemble._inputs(params, gravity, members)
    if any(isinstance(body, Robot) for body, _, _ in inputs):
        raise TypeError("params: a Robot is a handle into a world of this process; use signorini.rollout")
    if chunk is None:
        processors = max(1, int(ray.cluster_resources().get("CPU", 1)))  # type: ignore[no-untyped-call]
        chunk = max(1, -(-count // (4 * processors)))
    if chunk < 1:
        raise ValueError(f"chunk: {chunk} is not at least 1")
    task = ray.remote(num_cpus=threads, max_retries=retries, **(options or {}))(_batch)
    shared = ray.put(world.snapshot())
    step = default_step if dt is None else dt
    pending: dict[Any, int] = {}
    for index, first in enumerate(range(0, count, chunk)):
        part = slice(first, min(first + chunk, count))
        own = [(body, quantity, values[part]) for body, quantity, values in inputs]
        reference = task.remote(shared, own, part.stop - part.start, steps, step, tuple(record), every, threads)
        pending[reference] = index
    results: list[Ensemble | None] = [None] * len(pending)
    with _ensemble._bar(count, progress) as report:
        done = 0
        while pending:
            ready, _ = ray.wait(list(pending), num_returns=1)
            for reference in ready:
                result = ray.get(reference)
                results[pending.pop(reference)] = result
                done += len(result)
                if report is not None:
                    report(done)
    return Ensemble.concatenate([result for result in results if result is not None])


def _batch(
    snapshot: bytes,
    inputs: list[tuple[Any, str, np.ndarray[Any, np.dtype[np.float64]]]],
    members: int,
    steps: int,
    dt: float,
    record: tuple[str, ...],
    every: int,
    threads: int,
) -> Ensemble:
    params: dict[Any, dict[str, Any]] = {}
    gravity = None
    for body, quantity, values in inputs:
        if body is None:
            gravity = values
        else:
            params.setdefault(body, {})[quantity] = values[:, 0] if _ensemble._WIDTHS[quantity] == 1 else values
    return _ensemble.rollout(
        World.from_snapshot(snapshot),
        params,
        steps,
        dt=dt,
        members=members,
        gravity=gravity,
        record=record,
        every=every,
        threads=threads,
    )
