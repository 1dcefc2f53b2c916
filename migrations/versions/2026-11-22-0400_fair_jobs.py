"""Jobs are claimed fairly: no team can make another one wait for its backlog.

`door.claim_next_job` replaces `door.claim_job` in workers: a message only says that there is work, and the claim takes
the next fair job, whichever job the message names. `door.jobs_to_nudge` replaces `door.jobs_to_send` in the relay: of
each team only a few messages are in the broker at a time. Both older functions stay for older code. Adds columns with
defaults; older code does not see them.
"""

from alembic import op

revision = "20261122_0400"
down_revision = "20261122_0350"
branch_labels = None
depends_on = None

COLUMNS = """
ALTER TABLE job ADD COLUMN priority integer DEFAULT 3 NOT NULL;
ALTER TABLE job ADD COLUMN worker varchar;
ALTER TABLE team ADD COLUMN work_seconds double precision DEFAULT 0 NOT NULL;
ALTER TABLE team ADD COLUMN work_at timestamptz DEFAULT now() NOT NULL;
CREATE INDEX ix_job_next ON job (team_id, priority, not_before) WHERE state = 'waiting';
CREATE INDEX ix_job_to_send ON job (team_id, due_at) WHERE state = 'waiting';
CREATE INDEX ix_job_running ON job (due_at) WHERE state = 'running';
GRANT UPDATE (worker) ON job TO slowpath_keeper;
GRANT SELECT (work_seconds, work_at), UPDATE (work_seconds, work_at) ON team TO slowpath_keeper;
"""

# The teams with waiting jobs, one index probe each, however many jobs they have.
TEAMS = """
    WITH RECURSIVE team (team_id) AS (
        (SELECT first.team_id FROM public.job AS first WHERE first.state = 'waiting' ORDER BY first.team_id LIMIT 1)
        UNION ALL
        SELECT (
            SELECT next.team_id FROM public.job AS next
            WHERE next.state = 'waiting' AND next.team_id > team.team_id ORDER BY next.team_id LIMIT 1
        ) FROM team WHERE team.team_id IS NOT NULL
    )
"""
NUDGE = f"""
CREATE FUNCTION door.jobs_to_nudge(most integer, in_flight integer)
RETURNS TABLE (job_id uuid, queue varchar, again boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    {TEAMS}, left_behind AS (
        SELECT job.team_id, job.id FROM public.job AS job
        WHERE job.state = 'running' AND job.due_at <= clock_timestamp()
        ORDER BY job.due_at LIMIT most FOR UPDATE SKIP LOCKED
    ), due AS (
        SELECT team.team_id, picked.id FROM team CROSS JOIN LATERAL (
            SELECT job.id FROM public.job AS job
            WHERE job.team_id = team.team_id AND job.state = 'waiting' AND job.due_at <= clock_timestamp()
            ORDER BY job.due_at
            LIMIT in_flight - (
                SELECT count(*) FROM (
                    SELECT FROM public.job AS sent
                    WHERE sent.team_id = team.team_id AND sent.state = 'waiting' AND sent.due_at > clock_timestamp()
                        AND sent.due_at <= clock_timestamp() + interval '20 seconds' AND sent.sends > 0
                    LIMIT in_flight
                ) AS outstanding
            )
            FOR UPDATE SKIP LOCKED
        ) AS picked LIMIT most
    )
    UPDATE public.job AS sent
    SET sends = sent.sends + 1,
        due_at = clock_timestamp() + make_interval(
            secs => least(CASE sent.state WHEN 'running' THEN 5 ELSE 20 END, 2.5 * 2 ^ least(sent.sends, 10)))
    FROM (SELECT * FROM left_behind UNION ALL SELECT * FROM due) AS chosen
    WHERE sent.team_id = chosen.team_id AND sent.id = chosen.id
    RETURNING sent.id, sent.queue, sent.state = 'running'
$$;
"""  # noqa: S608 - put together of constants

# A worker has `slots` processes; one team holds at most all but one of them, so that any other team finds one free.
# Claims of one worker come one after the other, or two of them could each take the last but one.
CLAIM = f"""
CREATE FUNCTION door.claim_next_job(nudged uuid, by_worker varchar, slots integer, lease interval)
RETURNS TABLE (
    job_id uuid, team_id uuid, fence bigint, name varchar, payload jsonb,
    attempts integer, max_attempts integer, created_by uuid, cancel_asked boolean
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    candidate record;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('slowpath.claim:' || by_worker, 0));
    FOR candidate IN
        {TEAMS}, running AS (
            SELECT job.team_id, count(*) AS everywhere, count(*) FILTER (WHERE job.worker = by_worker) AS here
            FROM public.job AS job WHERE job.state = 'running' AND job.lease_until > clock_timestamp() GROUP BY job.team_id
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
        WHERE lost.id = nudged AND lost.state = 'running' AND lost.lease_until < clock_timestamp()
            AND lost.not_before <= clock_timestamp()
        UNION ALL
        SELECT waiting.team_id, waiting.id, coalesce(running.everywhere, 0), waiting.priority,
            team.work_seconds * 0.5 ^ (extract(epoch FROM clock_timestamp() - team.work_at) / 60),
            waiting.not_before
        FROM waiting JOIN public.team AS team ON team.id = waiting.team_id
            LEFT JOIN running ON running.team_id = waiting.team_id
        WHERE coalesce(running.here, 0) < greatest(slots - 1, 1)
        ORDER BY 3, 4, 5, 6
    LOOP
        RETURN QUERY
            UPDATE public.job AS claimed
            SET state = 'running', fence = claimed.fence + 1, attempts = claimed.attempts + 1, sends = 0,
                lease_until = clock_timestamp() + lease, due_at = clock_timestamp() + lease, worker = by_worker,
                started_at = coalesce(claimed.started_at, clock_timestamp()), finished_at = NULL
            WHERE claimed.team_id = candidate.team_id AND claimed.id = candidate.id
                AND claimed.not_before <= clock_timestamp()
                AND (claimed.state = 'waiting' OR (claimed.state = 'running' AND claimed.lease_until < clock_timestamp()))
            RETURNING claimed.id, claimed.team_id, claimed.fence, claimed.name, claimed.payload,
                claimed.attempts, claimed.max_attempts, claimed.created_by, claimed.cancel_asked;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
END
$$;
"""  # noqa: S608 - as above
CHARGE = """
CREATE FUNCTION door.charge_team(charged uuid, seconds double precision) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.team
    SET work_seconds = seconds + work_seconds * 0.5 ^ (extract(epoch FROM clock_timestamp() - work_at) / 60),
        work_at = clock_timestamp()
    WHERE id = charged
$$;
"""
NEW = {
    "door.jobs_to_nudge(integer, integer)": NUDGE,
    "door.claim_next_job(uuid, varchar, integer, interval)": CLAIM,
    "door.charge_team(uuid, double precision)": CHARGE,
}
HAND_OVER = """
REVOKE ALL ON FUNCTION {function} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {function} TO slowpath_cross_team;
ALTER FUNCTION {function} OWNER TO slowpath_keeper;
"""


def upgrade() -> None:
    op.execute(COLUMNS)
    op.execute("GRANT CREATE ON SCHEMA door TO slowpath_keeper")
    for function, sql in NEW.items():
        op.execute(sql)
        op.execute(HAND_OVER.format(function=function))
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")


def downgrade() -> None:
    op.execute("SET LOCAL ROLE slowpath_keeper")
    for function in NEW:
        op.execute(f"DROP FUNCTION {function}")
    op.execute("RESET ROLE")
    op.execute("DROP INDEX ix_job_next, ix_job_to_send, ix_job_running")
    op.execute("ALTER TABLE job DROP COLUMN priority, DROP COLUMN worker")
    op.execute("ALTER TABLE team DROP COLUMN work_seconds, DROP COLUMN work_at")
