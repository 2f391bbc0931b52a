"""Robots of other people, from packages of the registry: where they are, and what becomes of each.

Run by itself it prints the table of all that can be had: `python crates/py/tests/robot_files.py`. Nothing of these
packages is part of this repository.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import signorini as sg

#: How long every robot stands or falls [s].
DURATION = 2.0
#: In which steps [s]: of single bodies, and of robots, whose light links whip about when they fall undriven.
STEP, ROBOT_STEP = 1 / 240, 1 / 1000
#: Largest gap of a joint [m].
GAP = 1e-8
#: A robot that has missed so many steps has failed: the rest is not run.
MISSED = 20
#: Of a thousand random objects so many are taken.
RANDOM_OBJECTS = 10


@dataclass
class Outcome:
    """What became of a file."""

    file: str
    loads: str
    certified: int = 0
    steps: int = 0
    gap: float = 0.0

    @property
    def refused(self) -> bool:
        """Not read, and said at which line."""
        return self.loads.startswith("line ")

    @property
    def failed(self) -> bool:
        """Neither moved as promised nor refused with a line."""
        if self.refused:
            return False
        return self.loads != "yes" or self.certified < self.steps or self.gap > GAP

    def __str__(self) -> str:
        return f"{self.file:60} {self.certified:4}/{self.steps:<4} {self.gap:8.1e}  {self.loads}"


def package(name: str) -> Path | None:
    """Folder of an installed package."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def bullet_data() -> Path | None:
    """Folder of the models of PyBullet: installed, or unpacked from its wheel without installing it."""
    installed = package("pybullet_data")
    if installed is not None:
        return installed
    cache = Path(tempfile.gettempdir()) / "signorini-robot-files"
    folder = cache / "pybullet_data"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        try:
            subprocess.run([*command, "--dest", str(cache), "pybullet"], check=True, capture_output=True, timeout=300)
        except (OSError, subprocess.SubprocessError):
            return None
        for wheel in cache.glob("pybullet-*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(cache, [name for name in archive.namelist() if name.startswith("pybullet_data/")])
    return folder if folder.exists() else None


def gymnasium_files() -> tuple[Path, list[Path]] | None:
    """Models of Gymnasium."""
    root = package("gymnasium")
    return None if root is None else (root, sorted((root / "envs/mujoco/assets").glob("*.xml")))


def bullet_files() -> tuple[Path, list[Path]] | None:
    """Models of PyBullet."""
    root = bullet_data()
    if root is None:
        return None
    named = [path for path in sorted(root.rglob("*.urdf")) if "random_urdfs" not in path.parts]
    random = sorted((root / "random_urdfs").rglob("*.urdf"))[:RANDOM_OBJECTS]
    return root, named + random + sorted((root / "mjcf").glob("*.xml"))


def control_files() -> tuple[Path, list[Path]] | None:
    """Models of dm_control's suite."""
    root = package("dm_control")
    return None if root is None else (root, sorted((root / "suite").glob("*.xml")))


SOURCES = {"gymnasium": gymnasium_files, "pybullet_data": bullet_files, "dm_control": control_files}


def lift(path: Path, root: Path) -> float:
    """How far a URDF robot is raised so that its lowest link is 5 cm above the ground [m]: the file has none."""
    world = sg.World(gravity=(0, 0, 0))
    robot = world.add_robot(path, roots=[root])
    lowest = 0.0
    for link in robot.links:
        body = robot.body(link)
        if body.shape.to_dict() != "none":
            reach = np.linalg.norm(np.abs(np.array(body.shape.bounds)).max(axis=0))
            lowest = min(lowest, float(body.position[2] - reach))
    return 0.05 - lowest


def try_file(path: Path, root: Path) -> Outcome:
    """Reads a robot and lets it stand or fall."""
    outcome = Outcome(str(path.relative_to(root)), "yes")
    world = sg.World()
    try:
        if path.suffix == ".urdf":
            world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="the ground")
            robot = world.add_robot(path, roots=[root], position=(0, 0, lift(path, root)))
        else:
            robot = world.add_robot(path, roots=[root])
            world.settings = world.settings.replace(gravity=robot.gravity)
    except sg.SceneError as error:
        words = str(error).removeprefix(str(path)).removeprefix(":")
        line = words.split(":")[0]
        outcome.loads = f"line {words}" if line.isdigit() else str(error)
        return outcome
    step = ROBOT_STEP if len(robot.links) > 1 else STEP
    for _ in range(round(DURATION / step)):
        outcome.steps += 1
        report = world.step(step)
        outcome.certified += report.status == "certified"
        outcome.gap = max(outcome.gap, report.certificate.joint_gap.value)
        if outcome.steps - outcome.certified >= MISSED:
            break
    return outcome


def try_all(source: str) -> Iterator[Outcome] | None:
    """The outcomes of a source, or None if it cannot be had."""
    found = SOURCES[source]()
    if found is None:
        print(f"{source} is not installed and cannot be had: its robots are left out")
        return None
    root, files = found

    def outcomes() -> Iterator[Outcome]:
        # A step is taken without the lock of the interpreter: one robot per processor at a time.
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            yield from pool.map(try_file, files, [root] * len(files))

    return outcomes()


def main() -> int:
    """Prints the table."""
    failed = total = 0
    for source in SOURCES:
        print(f"{source}: file, certified steps, largest gap [m], loads")
        for outcome in try_all(source) or ():
            print(outcome, "FAILED" if outcome.failed else "", flush=True)
            failed, total = failed + outcome.failed, total + 1
    print(f"{failed} of {total} failed")
    return int(10 * failed > total)


if __name__ == "__main__":
    sys.exit(main())
