"""What a page is told of a search."""

import json

from slowpath.bisects.rules import plans
from slowpath.bisects.rules.nodes import Build, Level, Node
from slowpath.bisects.rules.settings import BisectSettings
from slowpath.bisects.rules.tried import state_of
from slowpath.bisects.rules.viewing import view_of

SHAS = [digit * 40 for digit in "7a1f09c3"]


def nodes(shas: list[str], outer: str | None = None) -> tuple[Node, ...]:
    """Commits on a line, whose ids are not in the order of the alphabet."""
    prefix = f"{outer}/" if outer else ""
    return tuple(
        Node(f"{prefix}{sha}", "", sha, "", "commit", Build(sha), Build(sha), (sha,), outer=outer) for sha in shas
    )


def test_candidates_stand_in_the_order_of_the_line_though_they_were_kept_without_one() -> None:
    plan = plans.begun(Level(nodes(SHAS), 8, label="mono"), {})
    plan = plans.opened(plan, SHAS[2], Level(nodes(["9" * 40, "2" * 40, "5" * 40], SHAS[2]), 3, label="lib"))
    kept = plans.from_json(json.loads(json.dumps(plans.to_json(plan), sort_keys=True)))
    state = state_of(kept.line, BisectSettings(), (), larger_is_worse=True)
    top, inner = view_of(kept, state, ()).levels
    assert [one.node.sha for one in top.candidates] == SHAS
    assert [one.node.sha for one in inner.candidates] == ["9" * 40, "2" * 40, "5" * 40]
