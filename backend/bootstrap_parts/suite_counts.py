"""Counts tests from what test runners write down: JUnit XML, JSON of Vitest and Playwright, the event stream of Go."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET


@dataclass(frozen=True)
class SuiteCount:
    """How many tests passed, failed, were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: SuiteCount) -> SuiteCount:
        """Add two counts."""
        return SuiteCount(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


def count_junit(path: Path) -> SuiteCount | None:
    """Count a JUnit file; None when it is not there or not whole."""
    try:
        suites = list(ET.parse(path).getroot().iter("testsuite"))  # noqa: S314 - written by our own pytest a moment ago
    except (OSError, ET.ParseError):
        return None
    total = SuiteCount()
    for suite in suites:
        numbers = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
        failed = numbers["failures"] + numbers["errors"]
        total += SuiteCount(numbers["tests"] - failed - numbers["skipped"], failed, numbers["skipped"])
    return total


def count_go(output: str) -> SuiteCount:
    """Count the outermost tests in the output of `go test -json`; a package that does not build is one failure."""
    passed = failed = skipped = 0
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        try:
            event = json.loads(line)
        except ValueError:
            continue
        outermost = "Test" in event and "/" not in event["Test"]
        passed += outermost and event["Action"] == "pass"
        failed += (outermost and event["Action"] == "fail") or event.get("FailedBuild") is not None
        skipped += outermost and event["Action"] == "skip"
    return SuiteCount(passed, failed, skipped)


def go_words(output: str) -> list[str]:
    """Return what `go test -json` says of packages and tests that failed, as plain lines; other lines are kept."""
    said: dict[tuple[str, str], list[str]] = {}
    lines, failed = list[str](), set[tuple[str, str]]()
    for line in output.splitlines():
        try:
            event = json.loads(line) if line.startswith("{") else None
        except ValueError:
            event = None
        if event is None:
            lines.append(line)
            continue
        key = (event.get("Package", event.get("ImportPath", "")), event.get("Test", ""))
        said.setdefault(key, []).append(event.get("Output", "").rstrip("\n"))
        if event["Action"] in {"fail", "build-fail"}:
            failed.add(key)
    return lines + [text for key in sorted(failed) for text in said[key] if text]


def count_vitest(path: Path) -> SuiteCount | None:
    """Count the JSON report of Vitest."""
    report = _read(path)
    if report is None:
        return None
    return SuiteCount(
        report["numPassedTests"], report["numFailedTests"], report["numPendingTests"] + report["numTodoTests"]
    )


def count_playwright(path: Path) -> SuiteCount | None:
    """Count the JSON report of Playwright. A test that passed only on retry passed; it is flaky, and reported as such there."""
    report = _read(path)
    if report is None:
        return None
    stats: dict[str, int] = report["stats"]
    return SuiteCount(stats["expected"] + stats["flaky"], stats["unexpected"], stats["skipped"])


def _read(path: Path) -> dict[str, Any] | None:
    try:
        report: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return report
