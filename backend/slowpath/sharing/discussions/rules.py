"""Rules of discussions: subjects, mentions in a text, audit events in the activity feed. Pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from uuid import UUID

from slowpath.analysis.findings.findings import Finding

MOST_LETTERS: Final = 10_000
MOST_COMMENTS: Final = 1_000
"""A discussion is returned as one response; a thousand comments are more than anyone reads."""
MOST_MENTIONS: Final = 50
MOST_PART_LETTERS: Final = 2_000
MAIL_AFTER_S: Final = 5.0
"""Comments written within this time go into one mail."""
MAIL_PAUSE_S: Final = 600.0
"""At most one mail per user and discussion in this time."""
MAIL_WITHIN_S: Final = 86_400.0
"""Mentions that could not be mailed for this long remain in the inbox only."""
MAIL_AGAIN_S: Final = 120.0
"""Longer than sending a mail takes: after this time an unfinished sender is assumed to have crashed."""


class SubjectKind(StrEnum):
    """Kinds of subjects."""

    FINDING = "finding"
    COMPARISON = "comparison"
    REGRESSION = "regression"
    PRODUCTION_EVENT = "production-event"
    BUILD = "build"
    REPORT = "report"
    TRACE = "trace"
    SPAN_SET = "span-set"


@dataclass(frozen=True)
class DiscussionSubject:
    """The subject of a discussion, as notifications and feeds show it."""

    title: str
    path: str
    """Address of its page, relative to the team's."""
    service_id: UUID | None = None
    goes_with: Mapping[str, UUID] = field(default_factory=dict)
    """The row whose deletion deletes the discussion: `comparison_id`, `regression_id`, `production_event_id`,
    `build_id` or `artifact_id`."""


def part_of(finding: Finding) -> str:
    """Return the key of a finding within its comparison; it does not depend on the position in the list."""
    members = (finding.kind, finding.profile_kind, finding.subject, finding.quantile, finding.normalization)
    return "|".join(str(member or "") for member in members)


_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)


def mentioned(text: str, members: Mapping[UUID, str], picked: Collection[UUID]) -> set[UUID]:
    """Return the members that a text mentions as `@Name`, ignoring case; the longest matching name counts.

    An `@` within a word (an email) or in code mentions no member. Of several members with one name, the selected ones are
    mentioned, or all of them if none was selected.
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
    """Return the start of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


class ActivityKind(StrEnum):
    """Kinds by which the activity feed can be filtered."""

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
    "example-data.added": ActivityKind.TEAM,
    "example-data.removed": ActivityKind.TEAM,
    "repository.created": ActivityKind.TEAM,
    "repository.deleted": ActivityKind.TEAM,
    "member.added": ActivityKind.TEAM,
    "member.joined": ActivityKind.TEAM,
    "member.left": ActivityKind.TEAM,
    "member.removed": ActivityKind.TEAM,
    "member.role-changed": ActivityKind.TEAM,
    "team.renamed": ActivityKind.TEAM,
}
"""Audit actions that every member may read as activity. The rest (tokens, channels, invitations, ...) is for admins."""

BUILD_RECEIVED: Final = "build.received"
"""The action of the first artifact that a token uploads for a build: one event for all of them."""

SHOWN_DETAILS: Final = ("name", "title", "commit", "to", "role", "version")
"""Details of an audit event that the activity feed shows."""
