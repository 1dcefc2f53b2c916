"""Arguments of `slowpath compare-commits`; the command itself is loaded when it runs."""

import argparse
from typing import Final

from slowpath.analysis.bisect.pair_settings import DEFAULT_PAIRS, DEFAULT_SMALLEST_CHANGE

EPILOG: Final = """the sides are measured in pairs, in random order within each pair, so that drift favors neither. After each pair it stops if
the candidate is slower, or not slower by more than --smallest-change. An equal candidate is called slower in at most 1 of
4,000 runs, however noisy the machine is; at least 13 pairs are needed to call it slower.

the script runs in a work tree of each commit and prints a number; SLOWPATH_COMMIT, SLOWPATH_DIR and SLOWPATH_OUT are as for
slowpath bisect. Exit code 125 means that the commit does not build.

exit codes: 0 not slower, 1 slower, 3 inconclusive, 2 bad input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath compare-commits`."""
    parser.usage = (
        "slowpath compare-commits --base main [--candidate HEAD] [options] (--bench REGEX [--package P] | -- SCRIPT)"
    )
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--repo", default=".", metavar="DIR", help="the repository (default: this folder)")
    parser.add_argument("--base", required=True, metavar="A", help="commit, branch or tag to compare with")
    parser.add_argument("--candidate", default="HEAD", metavar="B", help="commit, branch or tag (default: HEAD)")
    parser.add_argument("--exact-base", action="store_true",
                        help="measure A, not the merge base of A and B")  # fmt: skip
    parser.add_argument("--bench", metavar="REGEX", help="measure these Go benchmarks instead of a script")
    parser.add_argument("--package", default=".", metavar="P", help="package of the benchmarks, such as ./money (default: .)")  # fmt: skip
    parser.add_argument("--benchtime", default="1s", metavar="T", help="as of go test (default: 1s)")
    parser.add_argument("--directory", default="", metavar="DIR", help="folder of go.mod in the repository")
    parser.add_argument("--main", metavar="PACKAGE",
                        help="the package that SCRIPT builds: nothing is measured if its inputs are equal")  # fmt: skip
    parser.add_argument("--better", choices=("smaller", "larger"), default="smaller", help="which numbers are better")
    parser.add_argument("--smallest-change", type=float, default=100 * DEFAULT_SMALLEST_CHANGE, metavar="PERCENT",
                        help="increase that matters, in percent (default: 5)")  # fmt: skip
    parser.add_argument("--pairs", type=int, default=DEFAULT_PAIRS, metavar="N", help=f"most pairs (default: {DEFAULT_PAIRS})")  # fmt: skip
    parser.add_argument("--minutes", type=float, metavar="M", help="no pair begins after this time")
    parser.add_argument("--script-timeout", type=float, default=3600.0, metavar="S", help="seconds a run may take")
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    parser.add_argument("script", nargs="*", metavar="SCRIPT", help="the command that measures, after --")
