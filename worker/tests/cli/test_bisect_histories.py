"""Generated histories with benchmarks, merges, failed builds, two culprits and drift: right or undecided, never wrong."""

import json
import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.main import main
from tests.support.git_repositories import SomeRepository, new_repository

pytestmark = pytest.mark.long
FIRST_SEED = int(os.environ.get("SLOWPATH_FIRST_SEED", "0"))
"""Other histories than those of `npm run test:long` are searched with another one."""

MEASURE = r"""#!/bin/sh
test -f broken && {{ echo "money.go:1: undefined: x" >&2; exit 1; }}
RUNS=$(ls {state} | wc -l); touch {state}/$RUNS.$$
R=$(($(echo $SLOWPATH_COMMIT $RUNS | cksum | cut -d' ' -f1) >> 1))
grep -rhoE 'cost [0-9]+' money inputs | awk -v r=$R -v n=$RUNS '{{ s += $2 }} END {{
  srand(r); z = 0; for (i = 0; i < 12; i++) z += rand(); print s * (1 + 0.01 * (z - 6)) * (1 + {drift} * n) }}'
"""
ODD_MEASURE = MEASURE.replace("print s *", "if (rand() < 0.2) s *= 1.6; print s *")


@dataclass
class GeneratedHistory:
    """A library whose cost is the sum of numbers in its source, its benchmark and a file outside of its closure."""

    repository: SomeRepository
    rng: random.Random
    first: str = ""
    culprits: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    def neutral(self, number: str) -> dict[str, str | bytes | None]:
        """Return a change that costs nothing: documents, source, benchmark, or a build that fails."""
        kind = self.rng.choice(("docs", "docs", "source", "source", "benchmark", "broken"))
        if kind == "docs":
            return {"README": f"{number}\n"}
        if kind == "broken":
            return {"broken": "x\n", "money/broken.go": f"package money\n// {number}\n"}
        name = "money.go" if kind == "source" else "money_test.go"
        head = self.files[name].rpartition("\n// edit")[0] or self.files[name]
        self.files[name] = f"{head}\n// edit {number}\n"
        return {f"money/{name}": self.files[name]}

    def commit(self, number: str, cost: tuple[str, int] | None = None) -> None:
        """Commit a neutral change, or one that sets the cost of a file."""
        if cost is None:
            change = self.neutral(number)
        else:
            name, value = cost
            self.files[name] = f"package money\n// cost {value}\n"
            change = {("inputs/" if name == "data" else "money/") + name: self.files[name]}
        if "broken" not in change:
            change["broken"] = None if (self.repository.folder / "broken").exists() else change.get("broken")
            if change["broken"] is None and not (self.repository.folder / "broken").exists():
                del change["broken"]
        sha = self.repository.commit(change, f"Step {number}")
        if cost is not None:
            self.culprits.append(sha)


def generated(folder: Path, seed: int, costs: list[tuple[str, int]]) -> GeneratedHistory:
    """Write a history with these costs at random places, some of them in merged branches."""
    rng = random.Random(seed)
    history = GeneratedHistory(new_repository(folder), rng)
    history.files = {
        "money.go": "package money\n// cost 1000\n",
        "money_test.go": "package money\n// cost 10\n",
        "data": "cost 10\n",
    }
    start = {
        "money/money.go": history.files["money.go"],
        "money/money_test.go": history.files["money_test.go"],
        "inputs/data": "cost 10\n",
    }
    history.first = history.repository.commit({"go.mod": "module example.org/lib\n\ngo 1.21\n", **start}, "Start")
    places = sorted(rng.sample(range(3, 24), len(costs)))
    branch_at = {6, 15}
    for one in range(1, 26):
        cost = costs[places.index(one)] if one in places else None
        if one in branch_at:
            branched(history, one, cost)
        else:
            history.commit(str(one), cost)
    history.repository.commit({"broken": None} if (folder / "broken").exists() else {"end": "1\n"}, "End")
    return history


def branched(history: GeneratedHistory, one: int, cost: tuple[str, int] | None) -> None:
    """Commit a merged branch of three commits; the second one may have the cost."""
    git = history.repository.git
    git("checkout", "--quiet", "-b", f"side-{one}")
    for part in range(3):
        history.commit(f"{one}.{part}", cost if part == 1 else None)
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--no-ff", "-m", f"Merge side-{one}", f"side-{one}")


def searched(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    history: GeneratedHistory,
    measure: str,
    drift: float,
    *words: str,
) -> dict[str, Any]:
    state = tmp_path / "state"
    state.mkdir()
    script = tmp_path / "measure.sh"
    script.write_text(measure.format(state=state, drift=drift))
    script.chmod(0o755)
    code = main(
        ["bisect", "--repo", str(history.repository.folder), "--work-dir", str(tmp_path / "work"), "--good", history.first,
         "--bad", "main", "--main", "./money", "--json", *words, "--", str(script)]
    )  # fmt: skip
    out = capsys.readouterr()
    assert code in {0, 3}, out.err
    found: dict[str, Any] = json.loads(out.out.splitlines()[-1])
    assert found["deployments"] <= found["budget"]
    assert len(found["sentences"][0].split()) >= 1
    return found


ONE = {"source": [("money.go", 1300)], "benchmark": [("money_test.go", 310)], "input": [("data", 310)]}
TWO = {"large then small": [("money.go", 1500), ("money_test.go", 310)], "alike": [("data", 310), ("money.go", 1300)]}


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + 2))
@pytest.mark.parametrize("costs", [*ONE.values(), *TWO.values()], ids=[*ONE, *TWO])
def test_the_culprit_is_right_or_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int, costs: list[tuple[str, int]]
) -> None:
    history = generated(tmp_path / "r", seed, costs)
    found = searched(capsys, tmp_path, history, MEASURE, 0.0)
    if found["outcome"] == "found":
        assert found["levels"][0]["culprit"] in history.culprits
        if len(costs) == 1:
            # Of many intervals at 95% some miss: 1.7 times as wide, they are 3.3 standard errors to each side.
            explained = found["explained"]["culprit"]
            assert explained["share"] + 1.7 * (explained["high"] - explained["share"]) >= 0.9, explained
    else:
        assert set(history.culprits) & set(found["levels"][0]["suspects"])


@pytest.mark.parametrize("words", [(), ("--control",)], ids=["alone", "control"])
@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + 2))
@pytest.mark.parametrize(("measure", "drift"), [(MEASURE, 0.01), (ODD_MEASURE, 0.0)], ids=["drift", "odd"])
def test_disturbed_measurements_end_right_or_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int, measure: str, drift: float, words: tuple[str, ...]
) -> None:
    history = generated(tmp_path / "r", seed, ONE["source"])
    found = searched(capsys, tmp_path, history, measure, drift, *words)
    assert found["outcome"] != "found" or found["levels"][0]["culprit"] in history.culprits


@pytest.mark.parametrize("words", [(), ("--control",)], ids=["alone", "control"])
@pytest.mark.parametrize("drift", [0.0, 0.003])
def test_a_range_without_a_culprit_names_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drift: float, words: tuple[str, ...]
) -> None:
    history = generated(tmp_path / "r", FIRST_SEED + 7, [])
    found = searched(capsys, tmp_path, history, MEASURE, drift, *words)
    assert found["outcome"] != "found"
