"""A worker of some queues claims by an index that has the queue: it no longer looks through the jobs of other queues.

Code before this version can run with it.
"""

from alembic import op

revision = "20261128_0860"
down_revision = "20261128_0840"
branch_labels = None
depends_on = None

LOOKED_THROUGH = """                FROM (VALUES (0), (1), (2), (3)) AS class (priority)
                CROSS JOIN LATERAL (
                    SELECT one.id, one.priority, one.not_before FROM public.job AS one
                    WHERE one.team_id = team.team_id AND one.state = 'waiting' AND one.priority = class.priority
                        AND one.not_before <= clock_timestamp() AND (queues IS NULL OR one.queue = ANY (queues))
                    ORDER BY one.not_before LIMIT 1
                ) AS job
                ORDER BY job.priority LIMIT 1
"""
BY_QUEUE = """                FROM (VALUES (0), (1), (2), (3)) AS class (priority)
                CROSS JOIN unnest(coalesce(queues, ARRAY['decode', 'analyse', 'bisect', 'notify', 'mirror'])) AS lane (queue)
                CROSS JOIN LATERAL (
                    SELECT one.id, one.priority, one.not_before FROM public.job AS one
                    WHERE one.team_id = team.team_id AND one.state = 'waiting' AND one.priority = class.priority
                        AND one.queue = lane.queue AND one.not_before <= clock_timestamp()
                    ORDER BY one.not_before LIMIT 1
                ) AS job
                ORDER BY job.priority, job.not_before LIMIT 1
"""


def upgrade() -> None:
    _index("team_id, priority, queue, not_before")
    _change(LOOKED_THROUGH, BY_QUEUE)


def downgrade() -> None:
    _change(BY_QUEUE, LOOKED_THROUGH)
    _index("team_id, priority, not_before")


def _index(columns: str) -> None:
    op.execute("-- squawk-ignore require-concurrent-index-deletion\nDROP INDEX ix_job_next")
    op.execute(f"CREATE INDEX ix_job_next ON job ({columns}) WHERE state = 'waiting'")


def _change(old: str, new: str) -> None:
    """Replace a part of the definition of `claim_next_job`."""
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(f"""
    DO $change$
    DECLARE
        definition text;
    BEGIN
        SELECT pg_get_functiondef(oid) INTO STRICT definition
        FROM pg_proc WHERE pronamespace = 'cross_team'::regnamespace AND proname = 'claim_next_job';
        IF strpos(definition, $old${old}$old$) = 0 THEN
            RAISE EXCEPTION 'cross_team.claim_next_job is not the function of the former version';
        END IF;
        EXECUTE replace(definition, $old${old}$old$, $new${new}$new$);
    END
    $change$
    """)  # noqa: S608 - the texts above
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")
