"""Every example in a docstring, in the book's page on Python or in its guide is run."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import numpy as np
from matplotlib import pyplot

import signorini
from signorini import _ensemble, _run, _solve, statics

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.25"/><mass value="2"/>
    <inertia ixx="0.04" iyy="0.04" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="5"/></joint>
  <joint name="wrist" type="revolute"><parent link="upper"/><child link="hand"/><origin xyz="0 0 0.5"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="5"/></joint>
</robot>"""


def run(tests: list[doctest.DocTest]) -> int:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL)
    for test in tests:
        runner.run(test)
    assert runner.failures == 0, f"{runner.failures} examples failed"
    return runner.tries


def test_docstrings():
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = finder.find(signorini, "signorini")
    for module in (_ensemble, _run, _solve, statics):
        tests += finder.find(module, module.__name__)
    assert run(tests) > 40


def examples_of(page: Path) -> int:
    text = page.read_text(encoding="utf-8")
    return run([doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)])


def test_page_of_the_book():
    assert examples_of(DOCS / "python.md") > 20


def test_guide():
    tries = {page.name: examples_of(page) for page in sorted((DOCS / "guide").glob("*.md"))}
    assert tries["first-ten-minutes.md"] >= 6
    assert tries["degraded-steps.md"] >= 5


def test_page_on_statics():
    assert run_programs(DOCS / "statics.md") == 1


def blocks_of(page: Path, language: str) -> list[str]:
    return [part.split("```")[0] for part in page.read_text(encoding="utf-8").split(f"```{language}\n")[1:]]


def run_programs(page: Path, **names: object) -> int:
    """Runs every program of a page that is no dialogue, and returns how many there are."""
    programs = [block for block in blocks_of(page, "python") if ">>>" not in block]
    for program in programs:
        exec(program, dict(names))  # the book's own text
    return len(programs)


def test_readmes_and_programs_of_the_book(monkeypatch, capsys):
    monkeypatch.setattr(pyplot, "show", lambda: None)
    assert run_programs(ROOT / "README.md") == 1
    assert capsys.readouterr().out.startswith("[ 0.2 -0.1 ")
    assert run_programs(ROOT / "crates/py/README.md") == 1
    pyplot.close("all")
    assert run_programs(DOCS / "python.md") == 1


def test_page_on_robots(monkeypatch, tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run_programs(DOCS / "robots.md", sg=signorini, qdd=np.zeros(2)) == 1
    (scene,) = blocks_of(DOCS / "robots.md", "toml")
    (tmp_path / "arms.toml").write_text(scene, encoding="utf-8")
    assert signorini.Scene.load(tmp_path / "arms.toml").build().run(10).certified


def test_everything_public_is_documented():
    missing = []
    for name in signorini.__all__:
        value = getattr(signorini, name)
        if name == "__version__":
            continue
        if not inspect.getdoc(value):
            missing.append(name)
        if inspect.isclass(value) and value.__module__ == "signorini":
            for member, attribute in vars(value).items():
                if attribute is not None and not member.startswith("_") and not inspect.getdoc(attribute):
                    missing.append(f"{name}.{member}")
    assert not missing
