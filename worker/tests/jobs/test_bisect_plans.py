"""A bisect is planned from mirrors of real repositories, level by level, down to a module of a module."""

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import delete

from slowpath.adapters.egress import create_outside
from slowpath.adapters.git_remotes import create_remotes
from slowpath.analysis.bisect import search
from slowpath.analysis.formats.column_file import pack_strings, write_columns
from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import BisectId, BlobKey, RepositoryId, ServiceId, new_id
from slowpath.core.jobs import Job, JobState
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.jobs import FetchRepository
from slowpath.inventory.repositories.service import repositories
from slowpath.inventory.repositories.service.repositories import GitCredentials, ServiceSource
from slowpath.verdicts.bisects.jobs import AdvanceBisect, ExpandCandidate, PlanBisect
from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings, to_json
from slowpath.verdicts.bisects.rules.search_plan import SearchPlan
from slowpath.verdicts.bisects.schemas.runner_protocol import BuildTarget
from slowpath.verdicts.bisects.service import bisect_proposals, search_steps
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.tables import Comparison, DiffView
from tests.factories.findings import FINDING, stored_result
from tests.jobs.conftest import Bench
from tests.support.git_repositories import GitServer, SomeRepository, git_server, new_repository
from tests.support.worker_contexts import mirror_folder

pytestmark = pytest.mark.database

MAIN = 'package main\n\nimport "example.org/lib"\n\nconst n = {}\n\nfunc main() {{ println(lib.Cost()) }}\n'
MOD = "module example.org/mono\n\ngo 1.21\n\nrequire example.org/lib {}\n\nrequire example.org/deep {} // indirect\n"
LIB = 'package lib\n\nimport "example.org/deep"\n\nconst n = {}\n\nfunc Cost() int {{ return deep.Cost() }}\n'
LIB_MOD = "module example.org/lib\n\ngo 1.21\n\nrequire example.org/deep {}\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    (tmp_path / "served").mkdir()
    with git_server(tmp_path / "served") as state:
        yield state


@pytest.fixture
def near(bench: Bench, tmp_path: Path) -> Bench:
    """Return a bench whose operator allows loopback addresses, with mirrors in a folder of the test."""
    settings = bench.worker_context.settings.model_copy(
        update={"egress_allowlist": "127.0.0.0/8", "git_dir": tmp_path / "copies"}
    )
    return bench.with_settings(settings)


class Three:
    """Three repositories: a monorepo that requires a library that requires another, in which the culprit is."""

    def __init__(self, root: Path) -> None:
        """Commit all of it."""
        deep, lib, mono = (new_repository(root / name) for name in ("deep", "lib", "mono"))
        deep.commit({"go.mod": "module example.org/deep\n\ngo 1.21\n", "deep.go": self.cost(0)})
        deep.git("tag", "v1.0.0")
        self.deeps = [
            deep.commit({"deep.go": self.cost(one)} if one % 2 else {"README.md": f"{one}\n"}, f"deep {one}")
            for one in range(1, 6)
        ]
        deep.git("tag", "v1.1.0")
        lib.commit({"go.mod": LIB_MOD.format("v1.0.0"), "lib.go": LIB.format(0)})
        lib.git("tag", "v1.0.0")
        self.libs = [
            lib.commit({"go.mod": LIB_MOD.format("v1.1.0")} if one == 3 else {"lib.go": LIB.format(one)}, f"lib {one}")
            for one in range(1, 5)
        ]
        lib.git("tag", "v1.1.0")
        first = {"go.mod": MOD.format("v1.0.0", "v1.0.0"), "cmd/service/main.go": MAIN.format(0)}
        self.good = mono.commit(first, "first")
        self.monos = [mono.commit(self._file(one), f"mono {one}") for one in range(1, 10)]
        self.mono: SomeRepository = mono

    @staticmethod
    def cost(many: int) -> str:
        """Return the source of the deepest one."""
        return f"package deep\n\nfunc Cost() int {{ return {many} }}\n"

    @staticmethod
    def _file(one: int) -> dict[str, str | bytes | None]:
        if one == 5:
            return {"go.mod": MOD.format("v1.1.0", "v1.1.0")}
        return {"cmd/service/main.go": MAIN.format(one)} if one % 3 == 0 else {"docs.md": f"{one}\n"}


def scope(bench: Bench) -> TeamScope:
    return TeamScope(bench.team.id, bench.team.owner.user_id)


def done(bench: Bench, job: Job) -> None:
    row = bench.carry_out(bench.write_down(job))
    assert row["state"] == JobState.DONE, row["problem"]


def added(bench: Bench, url: str, label: str, services: list[ServiceSource]) -> RepositoryId:
    settings = bench.worker_context.settings
    with bench.worker_context.database.writing(scope(bench)) as session:
        row = repositories.create_repository(
            session, create_sealer(settings), create_remotes(settings, create_outside(settings)),
            label=label, url=url, kind=None, web_url=None, sign_in=GitCredentials("none"), services=services,
        )  # fmt: skip
        return RepositoryId(row.id)


def asked(bench: Bench, service_id: UUID, repository_id: UUID, good: str, bad: str) -> BisectId:
    with bench.worker_context.database.writing(scope(bench)) as session:
        row = Bisect(
            team_id=bench.team.id, id=new_id(), number=1, title="It got slower", service_id=service_id,
            repository_id=repository_id, good_sha=good, bad_sha=bad, state="planned",
            signature={"kind": "profile.function", "subject": "example.org/deep.Cost", "label": "", "unit": "", "larger_is_worse": True},
            settings=to_json(BisectSettings()), created_by=bench.team.owner.user_id,
        )  # fmt: skip
        session.add(row)
        session.flush()
        return BisectId(row.id)


def plan_of(bench: Bench, bisect_id: BisectId) -> SearchPlan:
    with bench.worker_context.database.reading(scope(bench)) as session:
        row = session.get(Bisect, (bench.team.id, bisect_id))
        assert row is not None
        assert row.plan is not None
        return search_plan.from_json(row.plan)


def jobs(bench: Bench, job: type[Job]) -> int:
    found = bench.admin.execute("SELECT count(*) FROM job WHERE name = %s", (job.name,)).fetchone()
    assert found is not None
    return int(found[0])


@pytest.fixture
def three(near: Bench, server: GitServer) -> tuple[Three, dict[str, UUID], UUID]:
    history = Three(server.root)
    with near.worker_context.database.writing(scope(near)) as session:
        service_id = ServiceId(catalog_entries.create_service(session, "ingester", {}).id)
    ids = {}
    for name in ("mono", "lib", "deep"):
        built = [ServiceSource(service_id, "", "cmd/service")] if name == "mono" else []
        ids[name] = added(near, f"{server.url}/{name}/.git", name, built)
    return history, dict(ids), service_id


def test_a_plan_goes_down_to_a_module_of_a_module(near: Bench, three: tuple[Three, dict[str, UUID], UUID]) -> None:
    history, ids, service_id = three
    for one in ids.values():
        done(near, FetchRepository(RepositoryId(one)))
    bisect_id = asked(near, service_id, ids["mono"], history.good, history.monos[-1])

    done(near, PlanBisect(bisect_id))
    plan = plan_of(near, bisect_id)
    assert [plan.nodes[one].sha for one in plan.line.ids] == [history.monos[one] for one in (2, 4, 5, 8)]
    top = plan.levels[""]
    assert (top.commits, top.classes, top.label, top.module) == (9, 4, "mono", "")
    assert (top.good, top.bad) == (history.good, history.monos[-1])
    assert [(one.commits, one.why) for one in top.pruned] == [(5, "No change to the inputs of the binary.")]
    assert plan.modules == {"example.org/lib": str(ids["lib"]), "example.org/deep": str(ids["deep"])}
    bump = plan.nodes[history.monos[4]]
    assert "example.org/deep" in bump.why
    assert bump.weight > 3 * plan.nodes[history.monos[2]].weight
    assert jobs(near, AdvanceBisect) == 1
    done(near, PlanBisect(bisect_id))  # repeated: nothing changes
    assert plan_of(near, bisect_id) == plan

    suspect = bump.id
    for module, label, shas, commits in (
        ("example.org/lib", "lib", history.libs, 4),
        ("example.org/deep", "deep", [history.deeps[one] for one in (0, 2, 4)], 5),
    ):
        done(near, ExpandCandidate(bisect_id, suspect))
        done(near, ExpandCandidate(bisect_id, suspect))
        plan = plan_of(near, bisect_id)
        level = plan.levels[suspect]
        assert (level.label, level.module, level.commits) == (label, module, commits)
        assert level.bump == (module, "v1.0.0", "v1.1.0")
        inner = [one for one in plan.line.ids if plan.level_of(one) == suspect]
        if not module.endswith("deep"):  # the first parent of the update only changes documents
            parent = plan.nodes[inner.pop(0)]
            assert (parent.kind, parent.sha, parent.members) == ("pruned", history.monos[3], (history.monos[3],))
        assert [plan.nodes[one].sha for one in inner] == list(shas)
        assert plan.nodes[inner[0]].build.commit == history.monos[4]
        assert plan.nodes[inner[0]].build.modules[module] == shas[0]
        suspect = next(one for one in inner if plan.nodes[one].title in {"lib 3", "deep 3"})
    assert [one.repository for one in plan.way_to(suspect)] == ["", "example.org/lib", "example.org/deep"]
    done(near, ExpandCandidate(bisect_id, suspect))
    assert suspect not in plan_of(near, bisect_id).line.hiding
    assert search.next_actions(search.start_search(BisectSettings().search(larger_is_worse=True), plan.line)).start


def test_a_change_of_the_go_version_goes_down_to_a_setting(
    near: Bench, three: tuple[Three, dict[str, UUID], UUID]
) -> None:
    history, ids, service_id = three
    text = MOD.format("v1.1.0", "v1.1.0").replace("go 1.21", "go 1.23.0")
    raised = history.mono.commit({"go.mod": text}, "Use Go 1.23")
    done(near, FetchRepository(RepositoryId(ids["mono"])))
    bisect_id = asked(near, service_id, ids["mono"], history.good, raised)
    done(near, PlanBisect(bisect_id))
    done(near, ExpandCandidate(bisect_id, raised))
    plan = plan_of(near, bisect_id)
    level = plan.levels[raised]
    assert (level.module, level.label, level.bump) == ("golang.org/toolchain", "Go releases", ("golang.org/toolchain", "go1.21.0", "go1.23.0"))  # fmt: skip
    inner = [plan.nodes[one] for one in plan.line.ids if plan.level_of(one) == raised]
    assert [one.sha for one in inner] == ["go1.21.0", "go1.22.0", "go1.23.0", "go1.23.0"]
    assert [one.kind for one in inner] == ["pruned", "release", "release", "pruned"]
    assert (inner[1].build.commit, inner[1].build.settings) == (history.monos[8], {"go": "1.22.0"})
    assert (inner[3].build.commit, inner[3].build.versions) == (raised, {})

    done(near, ExpandCandidate(bisect_id, inner[2].id))
    plan = plan_of(near, bisect_id)
    rest, *settings = [plan.nodes[one] for one in plan.line.ids if plan.level_of(one) == inner[2].id]
    assert plan.levels[inner[2].id].label == "Go settings"
    assert "asynctimerchan=1" in rest.build.settings["GODEBUG"].split(",")
    timer = next(one for one in settings if one.sha == "GODEBUG=asynctimerchan=1")
    assert "asynctimerchan" not in timer.build.settings["GODEBUG"]
    assert timer.why == "GODEBUG=asynctimerchan=1 restores the former default."
    with near.worker_context.database.writing(scope(near)) as session:
        row = session.get_one(Bisect, (near.team.id, bisect_id))
        probe = search_steps.make_probe(session, row, timer.build, 1, secret="secret", now=row.created_at)
        assert BuildTarget(**probe.build).settings == timer.build.settings
        session.rollback()


def test_a_commit_that_touches_a_file_on_the_regressed_paths_weighs_most(
    near: Bench, three: tuple[Three, dict[str, UUID], UUID]
) -> None:
    history, ids, service_id = three
    changed = history.mono.commit({"cmd/service/slow.go": "package main\n\nfunc slow() {}\n"}, "slow")
    done(near, FetchRepository(RepositoryId(ids["mono"])))
    bisect_id = asked(near, service_id, ids["mono"], history.good, changed)
    comparison_id, key = new_id(), BlobKey(f"{near.team.id}/functions")
    near.worker_context.blobs.put(key, gzip.compress(functions({"main.slow": "/build/9/mono/cmd/service/slow.go"})))
    with near.worker_context.database.writing(scope(near)) as session:
        session.add(
            Comparison(
                team_id=near.team.id, id=comparison_id, name="Deploy", base_label="a", candidate_label="b",
                state="done", result=stored_result(replace(FINDING, subject="main.slow")),
            )
        )  # fmt: skip
        session.flush()
        session.add(
            DiffView(
                team_id=near.team.id, id=new_id(), comparison_id=comparison_id, kind="cpu", sample_type="cpu",
                unit="nanoseconds", granularity="function", position=0, state="done", functions_key=key,
            )
        )  # fmt: skip
        row = session.get(Bisect, (near.team.id, bisect_id))
        assert row is not None
        row.comparison_id = comparison_id
    done(near, PlanBisect(bisect_id))
    plan = plan_of(near, bisect_id)
    weights = {plan.nodes[one].sha: plan.nodes[one].weight for one in plan.line.ids}
    assert "Touches a file of regressed functions: cmd/service/slow.go." in plan.nodes[plan.line.ids[-1]].why
    assert weights[changed] > 3 * max(one for sha, one in weights.items() if sha not in {changed, history.monos[4]})


def functions(named: dict[str, str]) -> bytes:
    """Return a table of functions and their files."""
    strings = ["", *named, *named.values()]
    names = np.arange(1, len(named) + 1, dtype=np.uint32)
    arrays = {"name": names, "file": names + np.uint32(len(named)), **pack_strings(strings)}
    return write_columns({"format": "slowpath.functions", "format_version": 1}, arrays)


def test_missing_commits_are_fetched_and_unsearchable_ranges_are_reported(
    near: Bench, three: tuple[Three, dict[str, UUID], UUID]
) -> None:
    history, ids, service_id = three
    bisect_id = asked(near, service_id, ids["mono"], history.good, history.monos[-1])
    done(near, PlanBisect(bisect_id))  # nothing had been fetched on this machine
    assert mirror_folder(near.worker_context.settings, near.team.id).exists()
    assert len(plan_of(near, bisect_id).line) == 4

    other = history.mono.commit({"docs.md": "aside\n"}, "aside")
    for good, bad, message in (
        (history.monos[-1], history.good, "not among the ancestors"),
        (history.good, history.good, "are the same"),
        (history.monos[6], history.monos[7], "No commit between good and bad"),
        (history.good, "0" * 40, "has no commit"),
        (history.monos[-1], other, "No commit between good and bad"),
    ):
        with near.worker_context.database.writing(scope(near)) as session:
            session.execute(delete(Bisect))
        bisect_id = asked(near, service_id, ids["mono"], good, bad)
        ended = near.carry_out(near.write_down(PlanBisect(bisect_id)))
        assert ended["state"] == JobState.FAILED
        with near.worker_context.database.reading(scope(near)) as session:
            found = session.get(Bisect, (near.team.id, bisect_id))
            assert found is not None
            assert found.state == "failed"
            assert message in (found.problem or {})["detail"]


def test_an_offer_names_what_is_missing(near: Bench, three: tuple[Three, dict[str, UUID], UUID]) -> None:
    _, ids, service_id = three
    with near.worker_context.database.reading(scope(near)) as session:
        found = bisect_proposals.propose_bisect(session, service_id=service_id)
    assert found.service == (service_id, "ingester")
    assert found.repository is not None
    assert found.repository[0] == ids["mono"]
    assert found.missing == ("Choose the good commit.", "Choose the bad commit.")
    assert [one.signature.kind for one in found.signatures] == ["custom"]
