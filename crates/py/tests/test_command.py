"""The command and the viewer come with the package."""

import re
import subprocess
import sys
import urllib.request

import signorini as sg


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "signorini", *arguments], capture_output=True, text=True, timeout=120)


def test_the_command_simulates_and_certifies():
    done = run("run", "stack", "--steps", "5")
    assert done.returncode == 0, done.stderr
    assert "certified" in done.stdout


def test_the_command_has_the_version_of_the_package():
    assert run("--version").stdout.split() == ["signorini", sg.__version__]


def test_bad_input_has_exit_code_two():
    done = run("run", "nosuchscene")
    assert done.returncode == 2
    assert "nosuchscene" in done.stderr


def test_the_viewer_serves_its_page():
    command = [sys.executable, "-m", "signorini", "view", "--port", "0", "stack"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as viewer:
        try:
            assert viewer.stdout is not None
            address = next(found[0] for line in viewer.stdout if (found := re.search(r"http://\S+", line)))
            with urllib.request.urlopen(address.split("#")[0], timeout=20) as page:
                assert b"<title>Signorini</title>" in page.read()
        finally:
            viewer.kill()
