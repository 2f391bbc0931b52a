"""Every example in a docstring, in the book's page on Python or in its guide is run."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import signorini
from signorini import _ensemble, _run, _solve, statics

DOCS = Path(__file__).parents[3] / "docs"


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
    text = (DOCS / "statics.md").read_text(encoding="utf-8")
    blocks = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert blocks
    for block in blocks:
        exec(block, {})  # the book's own text


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
