"""A worker can be limited to some queues: it claims jobs of these only, and each queue has messages in flight.

Code before this version can run with it: its workers claim the jobs of all queues.
"""

from alembic import op

revision = "20261127_2110"
down_revision = "20261127_2100"
branch_labels = None
depends_on = None

Changes = tuple[tuple[str, str], ...]

CLAIM: Changes = (
    ("lease interval)", "lease interval, queues character varying[] DEFAULT NULL::character varying[])"),
    (
        "AND one.not_before <= clock_timestamp()\n",
        "AND one.not_before <= clock_timestamp() AND (queues IS NULL OR one.queue = ANY (queues))\n",
    ),
)
SEND: Changes = (
    (
        "FROM team CROSS JOIN LATERAL (\n            SELECT job.id FROM",
        (
            "FROM team\n        CROSS JOIN unnest(ARRAY['decode', 'analyse', 'bisect', 'notify']) AS lane (queue)\n"
            "        CROSS JOIN LATERAL (\n            SELECT job.id FROM"
        ),
    ),
    ("job.team_id = team.team_id AND job.state", "job.team_id = team.team_id AND job.queue = lane.queue AND job.state"),
    (
        "sent.team_id = team.team_id AND sent.state = 'waiting' AND sent.due_at > clock_timestamp()\n",
        (
            "sent.team_id = team.team_id AND sent.queue = lane.queue AND sent.state = 'waiting'\n"
            "                        AND sent.due_at > clock_timestamp()\n"
        ),
    ),
)


def upgrade() -> None:
    _change("claim_next_job", CLAIM)
    _change("select_due_jobs", SEND)
    _index("team_id, queue, due_at")


def downgrade() -> None:
    _index("team_id, due_at")
    _change("select_due_jobs", _reversed(SEND))
    _change("claim_next_job", _reversed(CLAIM))


def _reversed(changes: Changes) -> Changes:
    return tuple((new, old) for old, new in reversed(changes))


def _change(name: str, changes: Changes) -> None:
    """Replace parts of a function's definition; a changed signature replaces the function."""
    steps = "".join(
        f"""
        IF strpos(definition, $old${old}$old$) = 0 THEN
            RAISE EXCEPTION 'cross_team.{name} is not the function of the former version';
        END IF;
        definition := replace(definition, $old${old}$old$, $new${new}$new$);"""
        for old, new in changes
    )
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(f"""
    DO $change$
    DECLARE
        definition text;
    BEGIN
        SELECT pg_get_functiondef(oid) INTO STRICT definition
        FROM pg_proc WHERE pronamespace = 'cross_team'::regnamespace AND proname = '{name}';{steps}
        DROP FUNCTION cross_team.{name};
        EXECUTE definition;
        REVOKE ALL ON FUNCTION cross_team.{name} FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION cross_team.{name} TO slowpath_cross_team;
    END
    $change$
    """)  # noqa: S608 - the name of a function above
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")


def _index(columns: str) -> None:
    op.execute("-- squawk-ignore require-concurrent-index-deletion\nDROP INDEX ix_job_to_send")
    op.execute(f"CREATE INDEX ix_job_to_send ON job ({columns}) WHERE state = 'waiting'")
