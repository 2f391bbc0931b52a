"""Opening the viewer."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from ._core import Scene, World


def view(what: World | Scene | str | Path) -> subprocess.Popen[bytes]:
    """Opens the page of the ``signorini`` command on a world as it is now, a scene, a scene file or a built-in scene.

    Returns the process; end it with ``terminate()``. If the command is not on the path, the exception says how to
    install it.
    """
    command = shutil.which("signorini")
    if command is None:
        raise FileNotFoundError(
            "the viewer is part of the command 'signorini', which is not on the path; "
            "install it with: cargo install --path crates/cli"
        )
    return subprocess.Popen([command, "view", _scene_argument(what)])


def _scene_argument(what: World | Scene | str | Path) -> str:
    """What the command takes: a name, or a file that holds the scene."""
    if isinstance(what, (str, Path)):
        return str(what)
    scene = what if isinstance(what, Scene) else what.describe()
    path = Path(tempfile.mkdtemp(prefix="signorini-")) / "scene.json"
    path.write_text(scene.to_json(), encoding="utf-8")
    return str(path)
