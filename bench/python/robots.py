"""Robots beside MuJoCo: the same files, the same time step, the same controls, in interleaved rounds of one run.

    python robots.py BENCH [--rounds 3] [--seconds 4] [--page PAGE] [--csv TABLE]

BENCH is the program `signorini-bench`; `scripts/bench robots` builds it and makes the environment. MuJoCo is as it
comes: the options of the file and its own defaults. Times are CPU times of the thread that steps, one step at a time.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Run = dict[str, Any]
HERE = Path(__file__).resolve().parent


def scenes() -> list[tuple[str, Path, bool, str]]:
    """Name, file, whether it is driven, and what is seen."""
    found = find_spec("gymnasium")
    if found is None or found.origin is None:
        sys.exit("gymnasium is not installed: the ant and the humanoid are its files")
    assets = Path(found.origin).parent / "envs/mujoco/assets"
    robots = HERE.parent / "robots"
    return [
        ("ragdoll", robots / "ragdoll.xml", False, "7 bodies, 10 hinges with limits, falls and lies"),
        ("ant", assets / "ant.xml", True, "gymnasium's, sines on its motors"),
        ("humanoid", assets / "humanoid.xml", True, "gymnasium's, sines on its motors"),
        ("arm", robots / "arm.xml", False, "7 servos, two fingers that hold a box in the air"),
    ]


def driven(model: Any, step: int) -> list[float]:
    """The controls of `bench/src/robots.rs`."""
    controls = []
    for k in range(model.nu):
        low, high = model.actuator_ctrlrange[k] if model.actuator_ctrllimited[k] else (-1.0, 1.0)
        wave = math.sin(5.0 * step * model.opt.timestep + 1.7 * k)
        controls.append(0.5 * (low + high) + 0.25 * (high - low) * wave)
    return controls


def mujoco_run(path: Path, seconds: float, drive: bool) -> Run:
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, "home") >= 0:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    times, contacts = [], 0
    for step in range(round(seconds / model.opt.timestep)):
        if drive:
            data.ctrl[:] = driven(model, step)
        start = time.thread_time_ns()
        mujoco.mj_step(model, data)
        times.append(1e-3 * (time.thread_time_ns() - start))
        contacts = max(contacts, data.ncon)
    return {"dt": model.opt.timestep, "times": times, "contacts": contacts, "q": data.qpos.tolist()}


def our_run(bench: Path, path: Path, steps: int, drive: bool) -> Run:
    command = [str(bench), "robot", str(path), "--steps", str(steps), *(["--drive"] if drive else [])]
    environment = os.environ | {"RAYON_NUM_THREADS": "1"}
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def measures(runs: list[Run]) -> dict[str, float]:
    """Steps per second is the median of the rounds; percentiles are over all steps of all rounds."""
    every = [t for run in runs for t in run["times"]]
    rate = statistics.median(1e6 * len(run["times"]) / sum(run["times"]) for run in runs)
    return {"rate": rate, "p50": percentile(every, 0.5), "p99": percentile(every, 0.99)}


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown processor"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--page", type=Path, default=Path("docs/validation/robots.md"))
    parser.add_argument("--csv", type=Path, default=Path("bench/results/robots.csv"))
    arguments = parser.parse_args()
    import mujoco

    rows = []
    for name, path, drive, _ in scenes():
        theirs, ours = [], []
        for _ in range(arguments.rounds):
            theirs.append(mujoco_run(path, arguments.seconds, drive))
            ours.append(our_run(arguments.bench, path, len(theirs[-1]["times"]), drive))
        if not math.isclose(ours[0]["dt"], theirs[0]["dt"]):
            sys.exit(f"{name}: the time steps differ, {ours[0]['dt']} and {theirs[0]['dt']}")
        steps = len(ours[0]["times"])
        our, their = measures(ours), measures(theirs)
        rows.append(
            {
                "robot": name,
                "bodies": ours[0]["bodies"],
                "dt": theirs[0]["dt"],
                "steps": steps,
                "certified": ours[0]["certified"],
                "joint_gap": ours[0]["joint_gap"],
                "contacts": ours[0]["contacts"],
                "mujoco_contacts": theirs[0]["contacts"],
            }
            | {key: round(value, 1) for key, value in our.items()}
            | {f"mujoco_{key}": round(value, 1) for key, value in their.items()}
            | {f"ratio_{key}": round(our[key] / their[key], 2) for key in ("p50", "p99")}
            | {"ratio": round(their["rate"] / our["rate"], 2)}
        )
        print(rows[-1], flush=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    with arguments.csv.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    arguments.page.write_text(page(rows, f"{processor()}, commit {commit}, MuJoCo {mujoco.__version__}", arguments))


def page(rows: list[dict[str, Any]], where: str, arguments: argparse.Namespace) -> str:
    what = {name: seen for name, _, _, seen in scenes()}
    lines = [
        "# Robots beside MuJoCo",
        "",
        f"`scripts/bench robots`. {where}. CPU time of one thread; {arguments.rounds} interleaved rounds of",
        f"{arguments.seconds:g} s each. Both engines read the same MJCF file, take its time step, and get the same",
        "controls; MuJoCo is as it comes. Contact is soft in MuJoCo and rigid here, so the two motions are not the",
        "same: what is compared is the price of a step.",
        "",
        "| robot | what | bodies | step | contacts, ours and theirs |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['robot']} | {what[row['robot']]} | {row['bodies']} | {1e3 * row['dt']:g} ms "
            f"| {row['contacts']}, {row['mujoco_contacts']} |"
        )
    lines += [
        "",
        "| robot | certified | largest joint gap | steps/s | MuJoCo's | times slower | p50, both | p99, both |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['robot']} | {row['certified']} of {row['steps']} | {row['joint_gap']:.1e} | {row['rate']:.0f} "
            f"| {row['mujoco_rate']:.0f} | {row['ratio']} | {row['p50']}, {row['mujoco_p50']} µs ({row['ratio_p50']}) "
            f"| {row['p99']}, {row['mujoco_p99']} µs ({row['ratio_p99']}) |"
        )
    lines += [
        "",
        "Steps per second are the median of the rounds, percentiles those of all steps; in brackets, how many times",
        "ours is theirs. The joint gap is the largest error of a joint at the end of any step, in metres or radians;",
        "MuJoCo's coordinates leave no such gap.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
