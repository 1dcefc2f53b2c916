"""Arguments of `slowpath experiment`; the command itself is loaded when it runs."""

import argparse
from typing import Final

DEFAULT_BLOCKS: Final = 10
USUAL: Final = ("GOGC=50", "GOGC=200", "GOGC=400", "pgo=off")
"""Variants without `--variant`; with a culprit, also its revert."""
SCRIPT: Final = """a variant is one of these, or several separated by spaces:
  GOGC=200  GOMEMLIMIT=1GiB  GOMAXPROCS=4  GODEBUG=madvdontneed=0   variables of the script; it has to pass them on
  pgo=off   pgo=auto   pgo=FILE                                   GOFLAGS has the build option -pgo
  revert                                                          git revert of --culprit on top of --commit
  patch=FILE                                                      git apply, in the work tree only

the script runs as for slowpath bisect (see there). It prints what it measures: lines of the Go benchmark format, such as
those of go test -bench or
  BenchmarkServe 1 812 p99-ms 3.1 cpu-ms/req 240 rss-MB
or else its last number. Larger values are worse, except of units that end with /s and of lines `Unit NAME better=higher`.

every block runs the unchanged commit, each variant and the parent of --culprit once, in random order. If the command is
killed, call it again and it continues.

exit codes: 0 measured, 2 bad input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath experiment`."""
    parser.usage = (
        "slowpath experiment --repo DIR --commit BAD [--culprit C] [--variant TEXT]... [options] -- SCRIPT [WORD...]"
    )
    parser.epilog = SCRIPT
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--repo", default=".", metavar="DIR", help="the repository (default: this folder)")
    parser.add_argument("--commit", default="HEAD", metavar="BAD", help="the slow commit (default: HEAD)")
    parser.add_argument(
        "--culprit", metavar="C", help="the commit that made it slower: reverted, and its parent measured"
    )
    parser.add_argument("--variant", action="append", default=[], metavar="TEXT",
                        help=f"what to try, such as \"GOGC=200\"; may be repeated (default: {', '.join(USUAL)})")  # fmt: skip
    parser.add_argument("--blocks", type=int, default=DEFAULT_BLOCKS, metavar="N",
                        help=f"runs of each build (default: {DEFAULT_BLOCKS}); decide it before the first result")  # fmt: skip
    parser.add_argument(
        "--measure", metavar="NAME", help="the measure that decides which variant is best (default: the first)"
    )
    parser.add_argument(
        "--better", choices=("smaller", "larger"), default="smaller", help="of a plain number or --signature"
    )
    parser.add_argument("--signature", metavar="KIND:SUBJECT", help="what to measure in the files in SLOWPATH_OUT")
    parser.add_argument("--directory", default="", metavar="DIR", help="folder of go.mod in the repository")
    parser.add_argument("--script-timeout", type=float, default=3600.0, metavar="S", help="seconds a run may take")
    parser.add_argument("--work-dir", metavar="DIR", help="folder of the work tree and the measurements")
    parser.add_argument("--restart", action="store_true", help="start over, even if there are measurements")
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    parser.add_argument("script", nargs="*", metavar="SCRIPT", help="the command that measures, after --")
