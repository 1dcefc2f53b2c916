"""Federated services are evaluated like those with stored samples: each remembers until when it was scanned.

Code before this version does not know the column or the job, so it can run with it; it would record the job as unknown.
"""

from alembic import op

revision = "20261127_2050"
down_revision = "20261127_2040"
branch_labels = None
depends_on = None

MAINTENANCE = """
    CREATE OR REPLACE FUNCTION cross_team.enqueue_maintenance(every interval)
        RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        INSERT INTO public.job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,
                fencing_token, progress, step)
            SELECT team.id, gen_random_uuid(), wanted.name, 'notify', jsonb_build_object('team_id', team.id),
                'team', team.id, 'waiting', 0, 5, 0, 0, ''
            FROM public.team CROSS JOIN LATERAL (
                SELECT CASE WHEN team.deleted_at IS NULL THEN 'retention.enforce' ELSE 'accounts.erase-team' END AS name
            ) AS wanted
            WHERE NOT EXISTS (
                SELECT FROM public.job
                WHERE job.team_id = team.id AND job.subject_kind = 'team' AND job.subject_id = team.id
                    AND job.name = wanted.name
                    AND (job.state IN ('waiting', 'running') OR job.created_at > clock_timestamp() - every)
            )
    $$
"""
WATCHED = """
    ;
        INSERT INTO public.job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,
                fencing_token, progress, step)
            SELECT team.id, gen_random_uuid(), 'metric-sources.watch', 'analyse',
                jsonb_build_object('team_id', team.id), 'team', team.id, 'waiting', 0, 5, 0, 0, ''
            FROM public.team
            WHERE team.deleted_at IS NULL
                AND EXISTS (SELECT FROM public.federated_service WHERE federated_service.team_id = team.id)
                AND NOT EXISTS (
                    SELECT FROM public.job
                    WHERE job.team_id = team.id AND job.subject_kind = 'team' AND job.subject_id = team.id
                        AND job.name = 'metric-sources.watch' AND job.state IN ('waiting', 'running')
                )
    $$
"""


def upgrade() -> None:
    op.execute("ALTER TABLE federated_service ADD COLUMN scanned_until_ms bigint")
    op.execute("CREATE POLICY keeper ON federated_service FOR SELECT TO slowpath_keeper USING (true)")
    op.execute("GRANT SELECT (team_id) ON federated_service TO slowpath_keeper")
    _replace_function(MAINTENANCE.rstrip().removesuffix("$$").rstrip() + WATCHED)


def downgrade() -> None:
    _replace_function(MAINTENANCE)
    op.execute("REVOKE SELECT (team_id) ON federated_service FROM slowpath_keeper")
    op.execute("DROP POLICY keeper ON federated_service")
    op.execute("ALTER TABLE federated_service DROP COLUMN scanned_until_ms")


def _replace_function(definition: str) -> None:
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(definition)
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")
