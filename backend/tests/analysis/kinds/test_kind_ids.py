"""Ids and sections of artifact kinds are literals in the registries and in the kinds' own packages only."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowpath.analysis.kinds.registry import PROFILE, compared_kinds, stored_ids

ROOT = Path(__file__).parents[4]
IDS = {PROFILE.section, *stored_ids(), *(kind.section for kind in compared_kinds())}

PYTHON = ("backend/slowpath", "worker/slowpath_worker", "worker/slowpath_cli")
TYPESCRIPT = ("frontend/src",)
OWN = (
    "backend/slowpath/analysis/kinds/",
    "backend/slowpath/evidence/kind_registry.py",
    *(
        f"backend/slowpath/evidence/{kind}/"
        for kind in ("benchmarks", "exec_traces", "growth_logs", "profiles", "spans")
    ),
    "worker/slowpath_worker/readers/",
    *(f"frontend/src/features/evidence/{kind}/" for kind in ("benchmarks", "exec_traces", "growth_logs", "spans")),
    "frontend/src/features/evidence/artifacts/artifact-wording.ts",
    "frontend/src/features/verdicts/comparisons/artifact-kinds.ts",
    "frontend/src/features/verdicts/comparisons/ArtifactKindSections.tsx",
    "frontend/src/app/pages/GrowthRoute.tsx",
    "frontend/src/api/generated/",
    "frontend/src/testing/",
)
BACKEND, CLI = "backend/slowpath/", "worker/slowpath_cli/"
HOMONYMS = {
    CLI + "commands/compare_assembly.py": {"profiles"},  # a member of the assembly
    BACKEND + "analysis/bisect/commit_suspicion.py": {"binary"},  # a file of a commit that is no text
    BACKEND + "analysis/comparison/compiler_findings.py": {"binary"},  # a grade of evidence
    BACKEND + "analysis/comparison/compiler_report.py": {"binary"},  # a grade of evidence
    BACKEND + "analysis/formats/go_function_names.py": {"archive"},  # a package of Go
    BACKEND + "analysis/formats/unified_diff.py": {"binary"},
    BACKEND + "analysis/series/change_groups.py": {"growth"},  # what a group of change points is of
    BACKEND + "inventory/catalog/schemas/deployments_annotations.py": {"spans"},  # where an order of services is from
    BACKEND + "inventory/catalog/service/service_order.py": {"spans"},
    BACKEND + "operations/retention/schemas.py": {"profile.cpu"},  # an example
    BACKEND + "platform/http/cli_packages.py": {"binary"},  # the format of a body in OpenAPI
    BACKEND + "platform/http/openapi_description.py": {"binary"},  # the format of a body in OpenAPI
    BACKEND + "sharing/discussions/rules.py": {"trace"},  # pages that can be discussed
    BACKEND + "sharing/discussions/service/discussion_subjects.py": {"traces", "spans"},
    BACKEND + "sharing/mcp_server/endpoints/profile_tools.py": {"profiles"},  # a count in an answer
    BACKEND + "sharing/mcp_server/endpoints/regression_tools.py": {"profiles"},
    BACKEND + "verdicts/regressions/service/build_evaluation.py": {"profiles"},  # a member of a JSON column
    BACKEND + "verdicts/regressions/service/build_verdicts.py": {"profiles"},  # a member of a JSON column
    BACKEND + "verdicts/comparison_previews/service/previews.py": {"benchmarks"},  # a member of a summary
    "frontend/src/engine/format/profile-labels.ts": {"spans"},  # a kind of profile: stacks of spans
    "worker/slowpath_worker/example_additions.py": {"traces", "profiles"},  # folders of the example
    CLI + "collect/collect_plan.py": {"trace"},  # what a process is asked to record
    CLI + "collect/recorder.py": {"trace"},
    CLI + "commands/compare_text.py": {"binary"},  # a grade of evidence
    CLI + "commands/example_builds.py": {"profiles"},  # a folder
    CLI + "commands/example_seed.py": {"traces", "spans"},  # a folder, a member of a response
    CLI + "local_bisect/output_values.py": {"profile.mutex", "profile.block"},  # measurement kinds
    CLI + "runner/core/runner_config.py": {"trace"},  # a setting
    "frontend/src/app/pages/TraceRoute.tsx": {"trace"},  # a page that can be discussed
}
"""Words that are no kinds, by file."""


def literals(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string of a Python file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def chosen(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string of a TypeScript file by which something is chosen."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for found in re.finditer(r"(?:[!=]==|\bcase|includes\(|\bkind:|\bpart:) *'([^']+)'", line):
            yield number, found[1]


def is_own(name: str) -> bool:
    return name.startswith(OWN) or ".test." in name


@pytest.mark.parametrize("folder", [*PYTHON, *TYPESCRIPT])
def test_no_id_of_a_kind_is_elsewhere(folder: str) -> None:
    pattern, read = ("*.py", literals) if folder in PYTHON else ("*.ts*", chosen)
    found = [
        f"{name}:{line}: {text!r}"
        for path in sorted((ROOT / folder).rglob(pattern))
        for line, text in read(path)
        if text in IDS
        and not is_own(name := path.relative_to(ROOT).as_posix())
        and text not in HOMONYMS.get(name, set())
    ]
    assert found == []


def test_each_homonym_is_still_there() -> None:
    for name, words in HOMONYMS.items():
        texts = (literals if name.endswith(".py") else chosen)(ROOT / name)
        assert words <= {text for _, text in texts}, name
