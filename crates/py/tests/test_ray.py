"""Ensembles over a cluster that loses a worker half way."""

from __future__ import annotations

import os

os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import falling_box

import signorini as sg

ray = pytest.importorskip("ray")
pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def params(members: int) -> dict:
    random = np.random.default_rng(5)
    velocity = random.normal(size=(members, 3))
    return {"box": {"velocity": velocity, "friction": random.uniform(0.1, 0.9, members)}}


def test_cluster_gives_the_same_bits(cluster):
    assert len(cluster.list_all_nodes()) == 2
    import signorini.ray

    expected = sg.rollout(falling_box(), params(24), 30, dt=0.01, record=["positions"], every=10)
    result = signorini.ray.rollout(falling_box(), params(24), 30, dt=0.01, chunk=5, record=["positions"], every=10)
    assert (result.hashes == expected.hashes).all()
    np.testing.assert_array_equal(result.recorded["positions"], expected.recorded["positions"])
    assert result.names == expected.names


def workers() -> list[int]:
    """Processes of this cluster that run a task of ours."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if command.startswith(b"ray::_batch"):
                found.append(int(entry.name))
    return found


def test_lost_worker_loses_nothing(cluster):
    assert cluster.address
    import signorini.ray

    members, steps = 16, 6000
    expected = sg.rollout(falling_box(), params(members), steps, dt=0.001)
    killed: list[int] = []

    def kill_one() -> None:
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            running = workers()
            if running:
                time.sleep(0.2)
                os.kill(running[0], signal.SIGKILL)
                killed.append(running[0])
            time.sleep(0.02)

    killer = threading.Thread(target=kill_one)
    killer.start()
    result = signorini.ray.rollout(falling_box(), params(members), steps, dt=0.001, chunk=4)
    killer.join(timeout=60)
    assert killed, "no worker was seen at work"
    assert (result.hashes == expected.hashes).all()
    assert not result.errors
