"""Engines that are driven from Python, on the scenes that `signorini-bench scenes` writes.

    python peers.py SCENES OUT [--engines mujoco,pybullet,drake] [--only S1] [--budget 60]
    python peers.py --serve ENGINE

The first writes OUT/ENGINE-SETTINGS-SCENE.json per run, with poses, velocities, contacts and CPU times;
`signorini-bench grade` measures them. The second is how `signorini-bench run --python` takes an engine into its
interleaved rounds: a line that says hello, then one answer per request, one line of JSON each. An engine that is not
installed is skipped with a line that says so. Poses are centre and (w, x, y, z); velocities are world axes; impulses
are those on b over the whole step, in world axes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engines import ENGINES, Engine, Scene


def run(load: Callable[[], Engine], scene: Scene, budget: float, audit: bool) -> dict[str, Any]:
    """Steps to the end, or until `budget` CPU seconds are used or the engine gives up."""
    engine = load()
    frames: list[dict[str, Any]] = []
    seconds: list[float] = []
    touches: list[dict[str, Any]] = []
    error = None
    every = scene.get("rec", 1)
    # A restitution is met by each engine at its own time of impact: contact by contact there is nothing to compare.
    audit = audit and all(body["e"] == 0.0 for body in scene["bodies"])
    for step in range(scene["steps"] + 1):
        # An audited step needs the state before and after it.
        if step % every == 0 or step == scene["steps"] or (audit and step % every == 1):
            poses, velocities = engine.observe()
            frames.append({"step": step, "poses": poses, "velocities": velocities})
        if step == scene["steps"]:
            break
        if sum(seconds) > budget:
            error = f"cut off at step {step} after {budget:g} s"
            break
        started = time.thread_time()
        try:
            engine.step()
        except Exception as reason:  # An engine that gives up is a result, not a failure of the comparison.
            error = f"step {step}: {str(reason).splitlines()[0][:200]}"
            break
        seconds.append(time.thread_time() - started)
        if audit and step % every == 0 and (contacts := engine.touching()) is not None:
            touches.append({"step": step, "contacts": contacts})
    result = {"frames": frames, "seconds": seconds, "contacts": engine.contacts(), "touches": touches, "error": error}
    engine.close()
    return result


def attempt(name: str, settings: str, scene: Scene, budget: float, audit: bool) -> dict[str, Any]:
    """A run as `signorini-bench` reads it."""
    engine = ENGINES[name][1]
    result = run(lambda: engine(scene, settings), scene, budget, audit)
    result |= {"engine": name, "version": engine.version(), "settings": settings, "scene": scene["name"]}
    return finite(result)


def serve(name: str) -> int:
    """Answers requests {settings, scene, budget, audit} on standard input, one line each."""
    module, engine = ENGINES[name]
    try:
        importlib.import_module(module)
    except ImportError as reason:
        print(json.dumps({"missing": str(reason)}), flush=True)
        return 0
    print(json.dumps({"version": engine.version(), "settings": engine.settings}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = attempt(name, request["settings"], request["scene"], request["budget"], request["audit"])
        except Exception as reason:
            answer = {"failed": f"{type(reason).__name__}: {reason}"}
        print(json.dumps(answer), flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=Path, nargs="?")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--only", default="")
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--serve", choices=ENGINES)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve(arguments.serve)
    if arguments.scenes is None or arguments.out is None:
        parser.error("a folder of scenes and a folder for the results are needed")
    arguments.out.mkdir(parents=True, exist_ok=True)
    paths = sorted(path for path in arguments.scenes.glob("*.json") if arguments.only in path.name)
    for name in arguments.engines.split(","):
        module, engine = ENGINES[name]
        try:
            importlib.import_module(module)
        except ImportError as reason:
            print(f"{name} is skipped: {reason}", file=sys.stderr)
            continue
        for path in paths:
            scene = json.loads(path.read_text())
            for settings in engine.settings:
                print(f"{name} {settings} {scene['name']}", file=sys.stderr)
                try:
                    result = attempt(name, settings, scene, arguments.budget, True)
                except Exception as reason:
                    print(f"  could not be loaded: {reason}", file=sys.stderr)
                    continue
                (arguments.out / f"{name}-{settings}-{scene['name']}.json").write_text(json.dumps(result))
    return 0


def finite(value: Any) -> Any:
    """JSON has no NaN: a state that is not finite ends in the largest number, which every measure calls fallen."""
    if isinstance(value, float):
        return value if math.isfinite(value) else 1e300
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return value


if __name__ == "__main__":
    sys.exit(main())
