"""Mirrors of repositories have a queue, and finished jobs are deleted in batches by an index.

A worker of other queues needs no disk for mirrors. Failed jobs are deleted after 90 days; until now they stayed forever.
Code before this version can run with it: jobs that it enqueues are in the former queues, which workers of both versions serve.
"""

from alembic import op

revision = "20261128_0040"
down_revision = "20261128_0030"
branch_labels = None
depends_on = None

SEND = (
    "ARRAY['decode', 'analyse', 'bisect', 'notify']",
    "ARRAY['decode', 'analyse', 'bisect', 'notify', 'mirror']",
)
DELETE = (
    """    DELETE FROM public.job
    WHERE state IN ('done', 'cancelled') AND finished_at < clock_timestamp() - interval '30 days'
""",
    """    DELETE FROM public.job WHERE (team_id, id) IN (
        SELECT team_id, id FROM public.job
        WHERE finished_at < clock_timestamp() - interval '30 days'
            AND (state IN ('done', 'cancelled') OR state = 'failed' AND finished_at < clock_timestamp() - interval '90 days')
        ORDER BY finished_at LIMIT 10000 FOR UPDATE SKIP LOCKED
    )
""",
)


def upgrade() -> None:
    op.execute("CREATE INDEX ix_job_finished ON job (finished_at) WHERE finished_at IS NOT NULL")
    _change("select_due_jobs", *SEND)
    _change("delete_expired_rows", *DELETE)


def downgrade() -> None:
    op.execute("ALTER TABLE job NO FORCE ROW LEVEL SECURITY")  # the owner sees no row otherwise
    op.execute("UPDATE job SET queue = 'analyse' WHERE queue = 'mirror' AND state IN ('waiting', 'running')")
    op.execute("ALTER TABLE job FORCE ROW LEVEL SECURITY")
    _change("delete_expired_rows", *reversed(DELETE))
    _change("select_due_jobs", *reversed(SEND))
    op.execute("-- squawk-ignore require-concurrent-index-deletion\nDROP INDEX ix_job_finished")


def _change(name: str, old: str, new: str) -> None:
    """Replace a part of a function's definition."""
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(f"""
    DO $change$
    DECLARE
        definition text;
    BEGIN
        SELECT pg_get_functiondef(oid) INTO STRICT definition
        FROM pg_proc WHERE pronamespace = 'cross_team'::regnamespace AND proname = '{name}';
        IF strpos(definition, $old${old}$old$) = 0 THEN
            RAISE EXCEPTION 'cross_team.{name} is not the function of the former version';
        END IF;
        EXECUTE replace(definition, $old${old}$old$, $new${new}$new$);
    END
    $change$
    """)  # noqa: S608 - the name of a function above
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")
