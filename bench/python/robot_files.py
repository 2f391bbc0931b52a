"""Robot files as users bring them: reads each, runs it, and groups what went wrong.

    python robot_files.py BENCH FOLDER... [--dt 0.004166667] [--drive] [--seconds 2] [--timeout 60] [--held-out | --all] [--csv TABLE]

BENCH is the program `signorini-bench`. Files are all `.urdf` with a joint and those `.xml` that hold a `mujoco` element with bodies; of equal
contents the first counts. A third of them, by a hash of the path below its folder, is kept aside: look at the others while mending,
and at these with `--held-out` afterwards. One process a file, one thread, one file after another.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any


def robots(folder: Path) -> list[Path]:
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".urdf":
            # Without a joint it is a thing, no robot.
            if re.search(r"<joint[\s>]", path.read_text(errors="replace")):
                found.append(path)
        elif path.suffix in (".xml", ".mjcf"):
            text = path.read_text(errors="replace")
            # Fragments that others include have no bodies of their own, or no `mujoco` around them.
            if re.search(r"<mujoco[\s>]", text) and ("<body" in text or "<include" in text):
                found.append(path)
    return found


def is_held_out(name: str) -> bool:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0


def run(arguments: argparse.Namespace, root: Path, path: Path) -> dict[str, Any]:
    steps = round(arguments.seconds / arguments.dt)
    command = [str(arguments.bench), "robot", str(path), "--steps", str(steps), "--dt", str(arguments.dt), "--floor"]
    # Packages name files from some folder above: all of them are looked in.
    folder = path.parent
    while folder != root.parent:
        command += ["--root", str(folder)]
        folder = folder.parent
    command += ["--drive"] if arguments.drive else []
    environment = os.environ | {"RAYON_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout, env=environment)
    except subprocess.TimeoutExpired:
        return {"outcome": "too slow"}
    if done.returncode != 0:
        return {"outcome": "refused", "why": done.stderr.strip().replace(str(root), "").splitlines()[-1:]}
    told = json.loads(done.stdout)
    times = told["times"]
    return {
        "outcome": "certified" if told["certified"] == len(times) else "degraded",
        "degraded": len(times) - told["certified"],
        "first": told["first_missed"],
        "missed": told["missed"],
        "milliseconds": 1e-3 * sum(times) / len(times),
        "bodies": told["bodies"],
        "contacts": told["contacts"],
        "joint_gap": told["joint_gap"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--dt", type=float, default=1 / 240)
    parser.add_argument("--drive", action="store_true")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--csv", type=Path)
    arguments = parser.parse_args()
    seen, rows = set(), []
    for root in arguments.folders:
        for path in robots(root):
            name = str(path.relative_to(root))
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            if digest in seen or not arguments.all and is_held_out(name) != arguments.held_out:
                continue
            seen.add(digest)
            rows.append({"file": f"{root.name}/{name}"} | run(arguments, root, path))
            if rows[-1]["outcome"] != "certified":
                print(json.dumps(rows[-1]), flush=True)
    print(dict(Counter(row["outcome"] for row in rows)), "of", len(rows))
    print("degraded steps:", sum(row.get("degraded", 0) for row in rows))
    if arguments.csv:
        names = ["file", "outcome", "degraded", "first", "missed", "milliseconds", "bodies", "contacts", "joint_gap", "why"]
        with arguments.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, names, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
