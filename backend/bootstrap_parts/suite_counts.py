"""Count tests in the reports of test runners: JUnit XML, JSON of Vitest and Playwright, the event stream of Go."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET


@dataclass(frozen=True)
class SuiteCount:
    """Numbers of passed, failed and skipped tests."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: SuiteCount) -> SuiteCount:
        """Add two counts."""
        return SuiteCount(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


def count_junit(path: Path) -> SuiteCount | None:
    """Count a JUnit file; None if it is missing or incomplete."""
    try:
        suites = list(ET.parse(path).getroot().iter("testsuite"))  # noqa: S314 - written by this project's pytest
    except (OSError, ET.ParseError):
        return None
    total = SuiteCount()
    for suite in suites:
        numbers = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
        failed = numbers["failures"] + numbers["errors"]
        total += SuiteCount(numbers["tests"] - failed - numbers["skipped"], failed, numbers["skipped"])
    return total


def count_go(output: str) -> SuiteCount:
    """Count the top-level tests in the output of `go test -json`; a package that does not build is one failure."""
    passed = failed = skipped = 0
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        try:
            event = json.loads(line)
        except ValueError:
            continue
        is_top_level = "Test" in event and "/" not in event["Test"]
        passed += is_top_level and event["Action"] == "pass"
        failed += (is_top_level and event["Action"] == "fail") or event.get("FailedBuild") is not None
        skipped += is_top_level and event["Action"] == "skip"
    return SuiteCount(passed, failed, skipped)


def go_words(output: str) -> list[str]:
    """Return the output of failed packages and tests of `go test -json` as plain lines, and all non-JSON lines."""
    output_by_test: dict[tuple[str, str], list[str]] = {}
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
        output_by_test.setdefault(key, []).append(event.get("Output", "").rstrip("\n"))
        if event["Action"] in {"fail", "build-fail"}:
            failed.add(key)
    return lines + [text for key in sorted(failed) for text in output_by_test[key] if text]


def count_vitest(path: Path) -> SuiteCount | None:
    """Count the JSON report of Vitest."""
    report = _read(path)
    if report is None:
        return None
    return SuiteCount(
        report["numPassedTests"], report["numFailedTests"], report["numPendingTests"] + report["numTodoTests"]
    )


def count_playwright(path: Path) -> SuiteCount | None:
    """Count the JSON report of Playwright. A test that passed on retry counts as passed; Playwright reports it as flaky."""
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
