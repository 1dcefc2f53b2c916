"""What is talked about, who is named in a text, and what of the log is news. Pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from uuid import UUID

from slowpath.analysis.findings.findings import Finding

MOST_LETTERS: Final = 10_000
MOST_COMMENTS: Final = 1_000
"""A discussion is told as a whole; a thousand comments are more than anybody reads."""
MOST_MENTIONS: Final = 50
MOST_PART_LETTERS: Final = 2_000
MAIL_AFTER_S: Final = 5.0
"""What is written in one breath goes out in one mail."""
MAIL_PAUSE_S: Final = 600.0
"""One mail a person and discussion in so long."""
MAIL_WITHIN_S: Final = 86_400.0
"""What could not be mailed for so long stands in the inbox only."""
MAIL_AGAIN_S: Final = 120.0
"""Longer than a mail takes: whoever began one and has not ended it by then died of it."""


class SubjectKind(StrEnum):
    """What can be talked about."""

    FINDING = "finding"
    COMPARISON = "comparison"
    REGRESSION = "regression"
    BUILD = "build"
    REPORT = "report"
    TRACE = "trace"
    SPAN_SET = "span-set"


@dataclass(frozen=True)
class DiscussionSubject:
    """What is talked about, as others are told of it."""

    title: str
    path: str
    """Of its page, below the team's."""
    service_id: UUID | None = None
    goes_with: Mapping[str, UUID] = field(default_factory=dict)
    """With which row the discussion is deleted: `comparison_id`, `regression_id`, `build_id` or `artifact_id`."""


def part_of(finding: Finding) -> str:
    """Return the key of a finding within its comparison; it does not depend on the place in the list."""
    members = (finding.kind, finding.profile_kind, finding.subject, finding.quantile, finding.normalization)
    return "|".join(str(member or "") for member in members)


_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)


def mentioned(text: str, members: Mapping[UUID, str], picked: Collection[UUID]) -> set[UUID]:
    """Return which members a text names as `@Name`, whatever the case; the longest name that fits counts.

    An `@` within a word (an e-mail) or in code names nobody. Of several members of one name those who were picked are
    meant; all of them, if none was.
    """
    by_name: dict[str, set[UUID]] = {}
    for user_id, name in members.items():
        by_name.setdefault(name.casefold(), set()).add(user_id)
    if not by_name:
        return set()
    names = sorted(by_name, key=len, reverse=True)
    pattern = re.compile(r"(?<![\w@])@(" + "|".join(map(re.escape, names)) + r")(?!\w)")
    found: set[UUID] = set()
    for match in pattern.finditer(_CODE.sub(" ", text).casefold()):
        called = by_name[match.group(1)]
        found |= called & set(picked) or called
    return found


def excerpt(text: str, most: int) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


class ActivityKind(StrEnum):
    """What the feed can be filtered by."""

    REGRESSION = "regression"
    COMPARISON = "comparison"
    DEPLOYMENT = "deployment"
    COMMENT = "comment"
    REPORT = "report"
    BISECT = "bisect"
    ARTIFACT = "artifact"
    TEAM = "team"


LOGGED: Final[Mapping[str, ActivityKind]] = {
    "comparison.created": ActivityKind.COMPARISON,
    "comparison.deleted": ActivityKind.COMPARISON,
    "artifact.received": ActivityKind.ARTIFACT,
    "artifact.deleted": ActivityKind.ARTIFACT,
    "build.deleted": ActivityKind.ARTIFACT,
    "report.created": ActivityKind.REPORT,
    "report.published": ActivityKind.REPORT,
    "report.deleted": ActivityKind.REPORT,
    "bisect.created": ActivityKind.BISECT,
    "bisect.finished": ActivityKind.BISECT,
    "bisect.deleted": ActivityKind.BISECT,
    "service.created": ActivityKind.TEAM,
    "service.deleted": ActivityKind.TEAM,
    "repository.created": ActivityKind.TEAM,
    "repository.deleted": ActivityKind.TEAM,
    "member.joined": ActivityKind.TEAM,
    "member.left": ActivityKind.TEAM,
    "member.removed": ActivityKind.TEAM,
    "member.role-changed": ActivityKind.TEAM,
    "team.renamed": ActivityKind.TEAM,
}
"""What of the log everybody in the team may read as news. The rest (tokens, channels, invitations, ...) is for admins."""

TOLD_FACTS: Final = ("name", "title", "commit", "to", "role", "version")
"""Of the facts beside an entry of the log, those that are told."""
