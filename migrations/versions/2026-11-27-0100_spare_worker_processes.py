"""Several teams with long jobs no longer occupy all processes of a worker.

Code before this version can run with it: its workers have one process beside `slots - 1`, and one team may use it.
"""

from alembic import op

revision = "20261127_0100"
down_revision = "20261126_1500"
branch_labels = None
depends_on = None

CLAIM_NEXT_JOB = """
CREATE OR REPLACE FUNCTION cross_team.claim_next_job(nudged uuid, by_worker varchar, slots integer, lease interval)
    RETURNS TABLE (job_id uuid, team_id uuid, fencing_token bigint, name varchar, payload jsonb, attempts integer,
        max_attempts integer, created_by uuid, cancel_requested boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    candidate record;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('slowpath.claim:' || by_worker, 0));
    FOR candidate IN
        WITH RECURSIVE team (team_id) AS (
            (SELECT first.team_id FROM public.job AS first WHERE first.state = 'waiting' ORDER BY first.team_id LIMIT 1)
            UNION ALL
            SELECT (
                SELECT next.team_id FROM public.job AS next
                WHERE next.state = 'waiting' AND next.team_id > team.team_id ORDER BY next.team_id LIMIT 1
            ) FROM team WHERE team.team_id IS NOT NULL
        ), running AS (
            SELECT job.team_id, count(*) AS everywhere, count(*) FILTER (WHERE job.worker = by_worker) AS here
            FROM public.job AS job
            WHERE job.state = 'running' AND job.lease_expires_at > clock_timestamp() GROUP BY job.team_id
        ), busy AS (
            SELECT coalesce(sum(running.here), 0) AS here FROM running
        ), waiting AS (
            SELECT team.team_id, next.id, next.priority, next.not_before
            FROM team CROSS JOIN LATERAL (
                SELECT job.id, job.priority, job.not_before
                FROM (VALUES (0), (1), (2), (3)) AS class (priority)
                CROSS JOIN LATERAL (
                    SELECT one.id, one.priority, one.not_before FROM public.job AS one
                    WHERE one.team_id = team.team_id AND one.state = 'waiting' AND one.priority = class.priority
                        AND one.not_before <= clock_timestamp()
                    ORDER BY one.not_before LIMIT 1
                ) AS job
                ORDER BY job.priority LIMIT 1
            ) AS next
            WHERE team.team_id IS NOT NULL
        )
        SELECT lost.team_id, lost.id, -1 AS everywhere, lost.priority, 0::double precision AS spent, lost.not_before
        FROM public.job AS lost
        WHERE lost.id = nudged AND lost.state = 'running' AND lost.lease_expires_at < clock_timestamp()
            AND lost.not_before <= clock_timestamp()
        UNION ALL
        SELECT waiting.team_id, waiting.id, coalesce(running.everywhere, 0), waiting.priority,
            team.work_seconds * 0.5 ^ (extract(epoch FROM clock_timestamp() - team.work_at) / 60),
            waiting.not_before
        FROM waiting JOIN public.team AS team ON team.id = waiting.team_id
            CROSS JOIN busy LEFT JOIN running ON running.team_id = waiting.team_id
        WHERE coalesce(running.here, 0) = 0 OR busy.here < slots
        ORDER BY 3, 4, 5, 6
    LOOP
        RETURN QUERY
            UPDATE public.job AS claimed
            SET state = 'running', fencing_token = claimed.fencing_token + 1, attempts = claimed.attempts + 1,
                send_count = 0, lease_expires_at = clock_timestamp() + lease, due_at = clock_timestamp() + lease,
                worker = by_worker,
                started_at = coalesce(claimed.started_at, clock_timestamp()), finished_at = NULL
            WHERE claimed.team_id = candidate.team_id AND claimed.id = candidate.id
                AND claimed.not_before <= clock_timestamp()
                AND (claimed.state = 'waiting'
                    OR (claimed.state = 'running' AND claimed.lease_expires_at < clock_timestamp()))
            RETURNING claimed.id, claimed.team_id, claimed.fencing_token, claimed.name, claimed.payload,
                claimed.attempts, claimed.max_attempts, claimed.created_by, claimed.cancel_requested;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
END
$$;
"""
FORMER_TEXTS = (
    (
        "), busy AS (\n            SELECT coalesce(sum(running.here), 0) AS here FROM running\n        ), waiting",
        "), waiting",
    ),
    ("CROSS JOIN busy LEFT JOIN", "LEFT JOIN"),
    ("coalesce(running.here, 0) = 0 OR busy.here < slots", "coalesce(running.here, 0) < greatest(slots - 1, 1)"),
)


def upgrade() -> None:
    _replace_function(CLAIM_NEXT_JOB)


def downgrade() -> None:
    former = CLAIM_NEXT_JOB
    for text, former_text in FORMER_TEXTS:
        former = former.replace(text, former_text)
    _replace_function(former)


def _replace_function(definition: str) -> None:
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(definition)
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")
