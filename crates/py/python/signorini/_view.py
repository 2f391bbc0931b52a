"""Opening the viewer."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from ._core import Scene, World


def view(what: World | Scene | str | Path) -> subprocess.Popen[bytes]:
    """Opens the page of the ``signorini`` command on a world as it is now, a scene, a scene file or a built-in scene.

    Prints the address to open in a browser. Returns the process; end it with ``terminate()``.
    """
    return subprocess.Popen([sys.executable, "-m", "signorini", "view", _scene_argument(what)])


def _scene_argument(what: World | Scene | str | Path) -> str:
    """What the command takes: a name, or a file that holds the scene."""
    if isinstance(what, (str, Path)):
        return str(what)
    scene = what if isinstance(what, Scene) else what.describe()
    path = Path(tempfile.mkdtemp(prefix="signorini-")) / "scene.json"
    path.write_text(scene.to_json(), encoding="utf-8")
    return str(path)
