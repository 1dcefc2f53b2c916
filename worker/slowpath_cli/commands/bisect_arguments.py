"""Arguments of `slowpath bisect`; the command itself is loaded when it runs."""

import argparse

from slowpath_cli.core.renamed_options import accept_former_name

SCRIPT = """the script runs in a separate work tree of each build, with these variables:
  SLOWPATH_COMMIT     the commit of --repo
  SLOWPATH_DIR        the folder of go.mod in the work tree; also the current folder
  SLOWPATH_OVERRIDES  modules that are replaced in this build, as JSON:
                      {"example.com/lib": {"commit": "1f0c...", "dir": "/.../slot-0"}, "example.com/x": {"version": "v1.4.0"}}
                      `replace` directives for them are already in go.mod, and GOFLAGS has -mod=mod, so `go build` and
                      `go test` need no further options; {} if none is replaced
                      With a chosen Go release: {"golang.org/toolchain": {"version": "v0.0.1-go1.23.0", "GODEBUG": "..."}}; then
                      GOTOOLCHAIN, GODEBUG and GOEXPERIMENT are set, and the `go` line of go.mod is rewritten
  SLOWPATH_OUT        an empty folder for files: profiles, traces, growth logs or benchmarks for --signature
  SLOWPATH_SLOT       0 to --slots minus 1, for ports and the like

its result is one of:
  a number that it prints on stdout (larger is worse, unless --better larger): its last line, or the ns/op of the
  benchmark in the output of `go test -bench` (the mean, with -count), or else the last number
  the files in SLOWPATH_OUT, with --signature
  its exit code, without a number: 0 good, 1 bad (`go test | awk` ends with 0 even if the build fails: then its last
  output is shown with the failed build)
  125 does not build, 75 try again; 1 also means a failed build if the script prints numbers for other builds

a class is a set of commits that build from the same inputs (--main): one of them is measured for all. The culprit is
proved by measuring its literal first parent, whatever its class is. If --main is a library, its test files count too.

logs and files of each probe are in WORK-DIR/out/NUMBER-RUN, the result is in WORK-DIR/report.json. Without --work-dir
the folder is in ~/.cache/slowpath/bisect, which has at most 10 searches; --clean removes them.

exit codes: 0 found, 3 not decided, 2 bad input; with --check: 0 good and bad differ, 3 not, 2 bad input or a failed build"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath bisect`."""
    parser.usage = "slowpath bisect --repo DIR --good A --bad B [options] -- SCRIPT [WORD...]"
    parser.epilog = SCRIPT
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--repo", default=".", metavar="DIR", help="the repository (default: this folder)")
    parser.add_argument("--good", metavar="A", help="commit, branch, tag or date that is not slower")
    parser.add_argument(
        "--bad",
        metavar="B",
        help="commit, branch, tag or date that is slower; a date (2026-11-17) is the newest commit of the default branch then",
    )
    parser.add_argument("--module-repo", action="append", default=[], metavar="MODULE=DIR",
                        help="a dependency's repository, searched when its update is the culprit; may be repeated")  # fmt: skip
    parser.add_argument(
        "--directory", default="", metavar="DIR", help="folder of go.mod in the repository (default: its root)"
    )
    parser.add_argument(
        "--main",
        metavar="PACKAGE",
        help="main package, such as ./cmd/x, or the library that is measured, such as ./json: commits that do not change what it is "
        "built from are pruned",
    )
    parser.add_argument("--goos", default="linux")
    parser.add_argument("--goarch", default="amd64")
    parser.add_argument("--tags", default="", help="build tags, separated by commas")
    parser.add_argument(
        "--cgo", choices=("on", "off"), help="whether cgo is used (default: unknown, both are considered)"
    )
    parser.add_argument("--better", choices=("smaller", "larger"), default="smaller",
                        help="which numbers are better; the opposite finds the commit that made them better")  # fmt: skip
    parser.add_argument("--signature", metavar="KIND:SUBJECT",
                        help="what to measure in the files in SLOWPATH_OUT, such as profile.category:stack-growth, growth.count:total or profile.function:NAME")  # fmt: skip
    stop = parser.add_argument("--stop-probability", type=float, default=0.95, metavar="P",
                               help="stop when a candidate is the culprit with this probability (default: 0.95)")  # fmt: skip
    accept_former_name(parser, stop, "--belief")
    parser.add_argument("--slots", type=int, default=1, metavar="N", help="scripts at the same time")
    parser.add_argument("--control", action="store_true", help="probe the good build in every round, to detect drift")
    limit = parser.add_argument("--max-deployments", "--max-probes", dest="max_deployments", type=int, metavar="N",
                        help="stop undecided after N deployments (probes), with the remaining suspects; run again with a higher N to continue (default: four times the usual number)")  # fmt: skip
    accept_former_name(parser, limit, "--max-deploys")
    timeout = parser.add_argument(
        "--script-timeout", type=float, default=3600.0, metavar="S", help="seconds a run may take"
    )
    accept_former_name(parser, timeout, "--timeout")
    work_dir = parser.add_argument("--work-dir", metavar="DIR", help="folder of work trees and measurements")
    accept_former_name(parser, work_dir, "--work")
    restart = parser.add_argument(
        "--restart", action="store_true", help="start over, even if there is an unfinished search"
    )
    accept_former_name(parser, restart, "--fresh")
    parser.add_argument("--rest", action="store_true",
                        help="if the culprit explains only a part of the increase, search for the rest after it; also after the search has ended")  # fmt: skip
    parser.add_argument("--check", action="store_true",
                        help="measure good and bad only, say whether they differ beyond the noise, and end; a later search uses these measurements")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    parser.add_argument("--clean", action="store_true",
                        help="remove the searches in ~/.cache/slowpath/bisect that do not run, and end")  # fmt: skip
    parser.add_argument("script", nargs="*", metavar="SCRIPT", help="the command that measures, after --")
