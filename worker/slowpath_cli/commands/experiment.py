"""`slowpath experiment`: measure what would fix a slow commit: settings of the Go runtime, PGO, a revert, a patch.

Exit codes: 0 measured, 2 bad input (including a commit that cannot be measured).
"""

import argparse
import hashlib
import json
import secrets
import sys
from pathlib import Path
from typing import Any, Final

from slowpath.adapters.git_objects import CatFileReader
from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.analysis.experiments.patch_files import validate_patch
from slowpath.analysis.experiments.variant_effects import LEAST_BLOCKS, MAX_BLOCKS
from slowpath.analysis.experiments.variants import (
    BASE,
    PARENT,
    PGO,
    REVERT,
    InvalidVariant,
    Variant,
    parse_variant,
    validate_names,
)
from slowpath.commit_names import short_commit
from slowpath.core.errors import InvalidRequest
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.service.candidate_discovery import BinaryInputs, MultiRepositoryHistory
from slowpath_cli.commands.experiment_arguments import USUAL
from slowpath_cli.core.input_files import resolved
from slowpath_cli.local_bisect.build_changes import BuildChange
from slowpath_cli.local_bisect.local_repositories import InvalidRepository, LocalRepository
from slowpath_cli.local_bisect.output_values import parse_signature
from slowpath_cli.local_bisect.script_runner import MeasureScript, ScriptProtocolError, absolute_command
from slowpath_cli.local_bisect.work_folders import MAX_SEARCHES, cache_folder, locked, remove_searches
from slowpath_cli.local_experiment.experiment_driver import BaseNotMeasured, ExperimentBuild, ExperimentDriver
from slowpath_cli.local_experiment.experiment_report import (
    format_experiment_report,
    make_experiment_document,
    summarize_session,
)
from slowpath_cli.local_experiment.experiment_session import ExperimentSession, resume_session, save_session

BAD_INPUT: Final = 2
UNRELATED: Final = frozenset({"run", "restart", "json", "work_dir", "script_timeout", "blocks", "words", "variant", "measure"})  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Run the experiment, print the result, and return the exit code."""
    try:
        if not options.script:
            raise InvalidRepository("The script, after --, is missing. See slowpath experiment --help.")
        if not LEAST_BLOCKS <= options.blocks <= MAX_BLOCKS:
            raise InvalidRepository(f"--blocks must be between {LEAST_BLOCKS} and {MAX_BLOCKS}, not {options.blocks}.")
        folder = _folder(options)
        with locked(folder):
            return _run_in(folder, options)
    except (InvalidRequest, InvalidVariant, ScriptProtocolError, BaseNotMeasured) as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return BAD_INPUT


def _run_in(folder: Path, options: argparse.Namespace) -> int:
    repository = LocalRepository(
        str(resolved(options.repo).resolve()), resolved(options.repo), folder / "repositories" / "main", CatFileReader
    )
    builds = _builds(options, repository)
    question = _question(options, builds)
    session = None if options.restart else resume_session(folder, question)
    if session is None:
        session = ExperimentSession(question, secrets.randbits(32))
        save_session(session, folder)
    _report(
        f"{len(builds)} builds in {options.blocks} blocks: {len(builds) * options.blocks} runs, logs are in {folder}"
    )
    script = MeasureScript(
        absolute_command(options.script),
        options.script_timeout,
        options.directory.strip("/"),
        parse_signature(options.signature),
    )
    binary = BinaryInputs(options.directory.strip("/"), None, BuildTarget("linux", "amd64", frozenset(), None))
    history = MultiRepositoryHistory(repository, {}, binary)
    larger = options.better == "larger"
    driver = ExperimentDriver(session, history, script, folder, _report, is_value_better_larger=larger)
    driver.drive(builds, options.blocks)
    return _print_result(session, builds, folder, options)


def _print_result(
    session: ExperimentSession, builds: list[ExperimentBuild], folder: Path, options: argparse.Namespace
) -> int:
    if options.measure is not None and options.measure not in session.measures():
        raise InvalidRepository(
            f"The script prints no measure {options.measure!r}. It prints {', '.join(session.measures())}."
        )
    result = summarize_session(session, builds, options.blocks, options.measure)
    document = make_experiment_document(session, builds, options.blocks, result)
    (folder / "report.json").write_text(json.dumps(document, indent=2), encoding="utf-8")
    print(json.dumps(document) if options.json else format_experiment_report(document, result, folder))
    return 0


def _builds(options: argparse.Namespace, repository: LocalRepository) -> list[ExperimentBuild]:
    """Return the base, the culprit's parent, and the variants."""
    commit = BuildInputs(repository.resolve(options.commit))
    culprit = None if options.culprit is None else repository.resolve(options.culprit)
    texts = options.variant or [*USUAL, *([REVERT] if culprit else [])]
    variants = [parse_variant(one) for one in texts]
    validate_names([one.name for one in variants])
    if culprit is None and any(one.reverts for one in variants):
        raise InvalidRepository("--culprit is missing: it is the commit that the variant reverts.")
    builds = [ExperimentBuild(BASE, commit)]
    if culprit is not None:
        if not repository.is_ancestor(culprit, commit.commit):
            raise InvalidRepository(
                f"{short_commit(culprit)} is not an ancestor of {short_commit(commit.commit)}, so it has no effect there."
            )
        parents = repository.parents(culprit)
        builds += [ExperimentBuild(PARENT, BuildInputs(one)) for one in parents[:1]]
    return [*builds, *(ExperimentBuild(one.name, commit, _change(one, culprit)) for one in variants)]


def _change(variant: Variant, culprit: str | None) -> BuildChange:
    """Return what a variant needs, with its files checked. Raises `InvalidVariant`, `InvalidRepository`."""
    patch = None if variant.patch is None else _existing(variant.patch)
    if patch is not None:
        validate_patch(patch.read_bytes())
    if variant.pgo is not None and variant.pgo not in PGO:
        variant = Variant(
            variant.name, variant.environment, str(_existing(variant.pgo)), variant.reverts, variant.patch
        )
    return BuildChange(variant, culprit if variant.reverts else None, patch)


def _existing(name: str) -> Path:
    path = resolved(name).absolute()
    if not path.is_file() or any(one.isspace() or one in "'\"" for one in str(path)):
        raise InvalidRepository(f"{path} is not a file whose path has no spaces and quotes.")
    return path


def _question(options: argparse.Namespace, builds: list[ExperimentBuild]) -> dict[str, Any]:
    """Return what the measurements of a stored experiment depend on; variants may be added to it."""
    commits = {one.name: one.inputs.commit for one in builds if one.name in {BASE, PARENT}}
    patches = {
        one.name: hashlib.sha256(one.change.patch.read_bytes()).hexdigest()
        for one in builds
        if one.change is not None and one.change.patch is not None
    }
    names = [one.name for one in builds]
    relevant = {name: value for name, value in vars(options).items() if name not in UNRELATED}
    return {**relevant, "commits": commits, "patches": patches, "builds": names}


def _folder(options: argparse.Namespace) -> Path:
    if options.work_dir:
        folder = resolved(options.work_dir).resolve()
    else:
        key = json.dumps([str(resolved(options.repo).resolve()), options.commit, options.culprit, options.variant, options.script])  # fmt: skip
        folder = cache_folder() / f"experiment-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.parent == cache_folder() and not (folder / "lock").exists():
        remove_searches(cache_folder(), MAX_SEARCHES - 1)
    return folder


def _report(words: str) -> None:
    print(f"slowpath: {''.join(one if one.isprintable() else ' ' for one in words)[:600]}", file=sys.stderr, flush=True)
