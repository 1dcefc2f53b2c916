"""Format the result of an experiment as JSON or text."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from slowpath.analysis.experiments.experiment_result import ExperimentResult, summarize_experiment
from slowpath.analysis.experiments.experiment_wording import describe_effect, describe_share
from slowpath.analysis.experiments.variant_effects import VariantEffect
from slowpath.analysis.experiments.variants import BASE, PARENT
from slowpath.commit_names import short_commit
from slowpath_cli.local_bisect.progress_lines import format_si
from slowpath_cli.local_experiment.experiment_driver import ExperimentBuild, failures_of
from slowpath_cli.local_experiment.experiment_session import ExperimentSession

FORMAT: Final = "slowpath.experiment/1"


def summarize_session(
    session: ExperimentSession, builds: Sequence[ExperimentBuild], blocks: int, measure: str | None
) -> ExperimentResult:
    """Return the result of the runs so far; `measure` decides which variant is best (default: the first one)."""
    names, measures = [one.name for one in builds], session.measures()
    variants = [one for one in names if one != BASE]
    values, larger = session.blocks(blocks, names), frozenset(session.larger_is_better)
    return summarize_experiment(values, variants, measures, measure or measures[0], larger)


def make_experiment_document(
    session: ExperimentSession, builds: Sequence[ExperimentBuild], blocks: int, result: ExperimentResult
) -> dict[str, Any]:
    """Return the JSON document of `--json`."""
    return {
        "format": FORMAT, "commit": builds[0].inputs.commit, "blocks": blocks, "runs": len(session.runs),
        "seconds": round(session.seconds, 3), **asdict(result), "larger_is_better": sorted(result.larger_is_better),
        "failures": dict(failures_of(session, builds)),
    }  # fmt: skip


def format_experiment_report(document: dict[str, Any], result: ExperimentResult, folder: Path) -> str:
    """Format the result as text: the best variant, and one table per measure."""
    lines = [result.sentence, ""]
    for measure, base in result.base.items():
        direction = "larger" if measure in result.larger_is_better else "smaller"
        lines.append(f"{measure} ({direction} is better), {BASE} {format_si(base)}")
        rows = [_row(one) for one in result.effects if one.measure == measure]
        widths = [max(len(row[at]) for row in rows) for at in range(3)]
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            lines.append(f"  {'  '.join([*cells, row[3]])}".rstrip())
        lines.append("")
    lines += [f"{name}: {reason}" for name, reason in document["failures"].items()]
    runs = f"{document['runs']} runs in {document['blocks']} blocks of {short_commit(document['commit'])}"
    lines.append(f"{runs}, {document['seconds']:.0f} s. All intervals hold together with 95%.")
    return "\n".join([*lines, f"Report: {folder / 'report.json'}"])


def _row(effect: VariantEffect) -> tuple[str, str, str, str]:
    share = describe_share(effect)
    return (
        f"{PARENT} of the culprit" if effect.variant == PARENT else effect.variant,
        "" if effect.value is None else format_si(effect.value),
        effect.verdict if effect.verdict in {"better", "worse"} else "",
        describe_effect(effect) + (f", removes {share} of the increase" if share else ""),
    )
