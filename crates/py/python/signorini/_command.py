"""The command ``signorini``, as it comes with the package."""

from __future__ import annotations

import signal
import sys

from ._core import _command


def main() -> int:
    """Runs the command with the arguments of this process and returns its exit code."""
    # The interpreter would only note an interrupt, and look at it when the command is over.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _command(["signorini", *sys.argv[1:]])
