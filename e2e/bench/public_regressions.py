"""Performance regressions of public Go modules with documented causes: the change, and the culprit functions.

Each module gets a small server (`aa_sources/`), built with the version before the regression and with the version with it.
`capture_regressions` records profiles of both.
"""

from dataclasses import dataclass, replace

from bench.aa_programs import STEADY, Program, Target


@dataclass(frozen=True)
class PublicRegression:
    """A module before (`good`) and after (`bad`) a regression, with its documented cause.

    `guilty` are the functions in the documentation; finding any of them first is right.
    """

    good: Program
    bad_version: str
    guilty: tuple[str, ...]
    documented: str
    cause: str

    @property
    def name(self) -> str:
        """Return the name of the regression and of its folder."""
        return self.good.name

    @property
    def bad(self) -> Program:
        """Return the same server with the version with the regression."""
        return replace(self.good, version=self.bad_version)


def _library(name: str, module: str, version: str, licence: str, *, path: str, rate: float) -> Program:
    return Program(
        name=name,
        module=module,
        version=version,
        licence=licence,
        package=None,
        arguments=("-listen", "{listen}"),
        pprof="http://{listen}/debug/pprof",
        ready="http://{listen}/debug/pprof/cmdline",
        rate=rate,
        phases=STEADY,
        targets=(Target(f"http://{{listen}}{path}"),),
    )


PUBLIC_REGRESSIONS = {
    regression.name: regression
    for regression in (
        PublicRegression(
            good=_library("excelize", "github.com/xuri/excelize/v2", "v2.5.0", "BSD-3-Clause", path="/report", rate=2),
            bad_version="v2.6.0",
            guilty=("github.com/xuri/excelize/v2.(*File).prepareCellStyle",),
            documented="https://github.com/qax-os/excelize/issues/1231",
            cause="to find the style of a cell, commit 156bf6d walks over all rows of the sheet for every cell that is set",
        ),
        PublicRegression(
            good=_library("yaml", "github.com/goccy/go-yaml", "v1.9.2", "MIT", path="/read", rate=20),
            bad_version="v1.9.3",
            guilty=(
                "github.com/goccy/go-yaml/parser.(*context).copy",
                "github.com/goccy/go-yaml/parser.(*context).withChild",
            ),
            documented="https://github.com/goccy/go-yaml/pull/438 (of issue 325)",
            cause="withChild and withIndex copy the context with all tokens for every node, to keep the path of the node",
        ),
        PublicRegression(
            good=_library("runewidth", "github.com/mattn/go-runewidth", "v0.0.9", "MIT", path="/table", rate=80),
            bad_version="v0.0.10",
            guilty=(
                "github.com/rivo/uniseg.NewGraphemes",
                "github.com/rivo/uniseg.(*Graphemes).Next",
                "github.com/mattn/go-runewidth.(*Condition).StringWidth",
            ),
            documented="https://github.com/mattn/go-runewidth/pull/51",
            cause="StringWidth walks over grapheme clusters (uniseg.NewGraphemes) instead of runes",
        ),
    )
}
