"""Arguments of `slowpath compare`; the command itself is loaded when it runs."""

import argparse

from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath_cli.commands.verdict_gates import EXIT_CODES, GATE_KINDS, gate_kinds
from slowpath_cli.core.renamed_options import accept_former_name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath compare`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXIT_CODES
    for side in ("base", "candidate"):
        parser.add_argument(
            f"--{side}",
            nargs="+",
            action="extend",
            required=True,
            metavar="F",
            help=f"files or folders of the {side}; artifact kinds may be mixed, each kind is compared separately",
        )
        metadata = parser.add_argument(
            f"--metadata-{side}", metavar="FILE", help=f"run metadata of {side} files without F.metadata.json"
        )
        accept_former_name(parser, metadata, f"--facts-{side}")
    for side in ("base", "candidate"):
        parser.add_argument(
            f"--{side}-label",
            action="append",
            default=[],
            type=label_matcher,
            metavar="KEY=VALUE",
            help=f"compare only samples of the {side} with this pprof label, such as endpoint=/checkout; KEY alone "
            "selects samples without the label; repeat it for samples with all of several labels",
        )
    parser.add_argument(
        "--gate",
        type=gate_kinds,
        metavar="KINDS",
        help=f"kinds the exit code depends on, separated by commas: {', '.join(GATE_KINDS)} "
        "(default: every kind with enough data)",
    )
    _add_binary_arguments(parser)
    _add_assembly_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    parser.add_argument("--no-color", action="store_true", help="print plain text, even on a terminal")


def label_matcher(text: str) -> LabelMatcher:
    """Parse `KEY=VALUE`, or `KEY` for samples without the label. Raises `argparse.ArgumentTypeError`."""
    key, separator, value = text.partition("=")
    if not key:
        raise argparse.ArgumentTypeError(f"{text!r} has no key: write KEY=VALUE")
    return LabelMatcher(key, value if separator else None)


def _add_binary_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `--base-binary`, `--candidate-binary` and `--compile-report`."""
    for side in ("base", "candidate"):
        parser.add_argument(
            f"--{side}-binary",
            metavar="FILE",
            help=f"Go program of the {side}: with both, the result states what the compiler did differently in the "
            "functions that cost more, and which goroutine stacks are predicted to grow once more",
        )
    parser.add_argument(
        "--compile-report",
        metavar="FILE",
        help="what `slowpath compile-report --out` wrote of both commits: the result states why the compiler decided so",
    )


def _add_assembly_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--assembly`."""
    parser.add_argument(
        "--assembly",
        metavar="FUNCTION",
        help="print the assembly of a function in both programs side by side, with samples of profiles of these builds",
    )
