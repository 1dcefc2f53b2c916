"""A job whose worker died, and jobs whose messages were lost, are sent again sooner.

`door.jobs_to_send` stands in place of `door.due_jobs`, which stays for older code: it tells, too, that a job was begun
before, and one left behind by its worker waits at most 5 s between two sendings, not 20. `door.hurry_jobs` makes due
at once what was sent and lies nowhere any more. `door.unsent_job` takes back the sending of a job left behind, too.
"""

from alembic import op

revision = "20261121_1150"
down_revision = "20261121_1100"
branch_labels = None
depends_on = None

# The longest pause of a job that waits may stay: its message lies in a queue, or the queue is empty and it is hurried.
DUE = """
CREATE FUNCTION door.jobs_to_send(most integer) RETURNS TABLE (job_id uuid, queue varchar, again boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job AS sent
    SET sends = sent.sends + 1,
        due_at = clock_timestamp() + make_interval(
            secs => least(CASE sent.state WHEN 'running' THEN 5 ELSE 20 END, 2.5 * 2 ^ least(sent.sends, 10)))
    FROM (
        SELECT team_id, id FROM public.job
        WHERE state IN ('waiting', 'running') AND due_at <= clock_timestamp()
        ORDER BY due_at LIMIT most FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE sent.team_id = due.team_id AND sent.id = due.id
    RETURNING sent.id, sent.queue, sent.state = 'running'
$$;
"""
UNSENT = """
CREATE OR REPLACE FUNCTION door.unsent_job(sought uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job SET sends = greatest(sends - 1, 0), due_at = clock_timestamp()
    WHERE id = sought AND (state = 'waiting' OR (state = 'running' AND lease_until < clock_timestamp()))
$$;
"""
HURRY = """
CREATE FUNCTION door.hurry_jobs(queues varchar[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job SET due_at = clock_timestamp()
    WHERE state = 'waiting' AND queue = ANY (queues) AND sends > 0
        AND due_at > clock_timestamp() AND not_before <= clock_timestamp()
$$;
"""
EARLIER_UNSENT = """
CREATE OR REPLACE FUNCTION door.unsent_job(sought uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job SET sends = greatest(sends - 1, 0), due_at = clock_timestamp()
    WHERE id = sought AND state = 'waiting'
$$;
"""
NEW = {"door.jobs_to_send(integer)": DUE, "door.hurry_jobs(varchar[])": HURRY}
HAND_OVER = """
REVOKE ALL ON FUNCTION {function} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {function} TO slowpath_cross_team;
ALTER FUNCTION {function} OWNER TO slowpath_keeper;
"""


def upgrade() -> None:
    op.execute("GRANT CREATE ON SCHEMA door TO slowpath_keeper")
    for function, sql in NEW.items():
        op.execute(sql)
        op.execute(HAND_OVER.format(function=function))
    _as_keeper(UNSENT)
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")


def downgrade() -> None:
    op.execute("GRANT CREATE ON SCHEMA door TO slowpath_keeper")
    _as_keeper(EARLIER_UNSENT, *(f"DROP FUNCTION {function}" for function in NEW))
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")


def _as_keeper(*commands: str) -> None:
    # Each function belongs to the keeper, and only who owns it may change or drop it.
    op.execute("SET LOCAL ROLE slowpath_keeper")
    for command in commands:
        op.execute(command)
    op.execute("RESET ROLE")
