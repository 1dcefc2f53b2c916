"""The last former names: kinds of bisect events, and the scrub option of users. Also tidies the schema.

Unused functions are dropped, a foreign key is validated, and a sequence is named after its table. A downgrade restores
names and values, but not the functions: no version from 20261122_0500 on calls them. Older code writes the former values,
so web and worker processes are stopped for this version.
"""

from collections.abc import Sequence

from alembic import op

revision = "20261124_0900"
down_revision = "20261123_1000"
branch_labels = None
depends_on = None

UNUSED = (
    "due_jobs(integer)",
    "jobs_to_send(integer)",
    "find_token(bytea, timestamptz, timestamptz)",
)
EVENT_KINDS = (
    ("annulled", "invalidated"), ("asked", "queued"), ("changed", "updated"), ("disowned", "baselines-invalidated"),
    ("drifts", "drifted"), ("known", "baselines-used"), ("lengthened", "measurement-extended"),
    ("marked", "overridden"), ("not-opened", "expansion-failed"), ("opened", "expanded"), ("opening", "expanding"),
    ("remeasured", "probe-requested"), ("unknown", "baselines-unavailable"),
)  # fmt: skip
TABLES = ("bisect_event", "share_link")


def upgrade() -> None:
    op.execute("SET LOCAL ROLE slowpath_keeper")
    for function in UNUSED:
        op.execute(f"-- squawk-ignore ban-drop-function\nDROP FUNCTION IF EXISTS cross_team.{function}")
    op.execute("RESET ROLE")
    op.execute("ALTER TABLE artifact VALIDATE CONSTRAINT fk_artifact_team_id_build_id")
    op.execute("ALTER SEQUENCE metric_tail_id_seq RENAME TO metric_wal_record_id_seq")
    _rename(EVENT_KINDS, ("people", "users"))


def downgrade() -> None:
    _rename([(new, old) for old, new in EVENT_KINDS], ("users", "people"))
    op.execute("ALTER SEQUENCE metric_wal_record_id_seq RENAME TO metric_tail_id_seq")


def _rename(kinds: Sequence[tuple[str, str]], scrub_key: tuple[str, str]) -> None:
    for table in TABLES:  # the owner of the tables sees no team's rows otherwise
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    cases = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in kinds)
    listed = ", ".join(f"'{old}'" for old, _ in kinds)
    op.execute(f"UPDATE bisect_event SET kind = CASE kind {cases} END WHERE kind IN ({listed})")  # noqa: S608 - names of this file
    old, new = scrub_key
    op.execute(
        f"UPDATE share_link SET scrub = scrub - '{old}' || jsonb_build_object('{new}', scrub -> '{old}') "  # noqa: S608 - as above
        f"WHERE jsonb_exists(scrub, '{old}')"
    )
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
