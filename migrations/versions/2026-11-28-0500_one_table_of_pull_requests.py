"""Pull requests have one table: that of a repository also has their branches, and whether they can be measured.

Open pull requests move from the table of services into it. Those of a service without a repository cannot be measured; they
go to the repository of its webhook, and only without one they are dropped. Code before this version fails at webhooks of
pull requests, whose jobs it enqueues with other members: stop it first.
"""

from alembic import op

revision = "20261128_0500"
down_revision = "20261128_0400"
branch_labels = None
depends_on = None

COLUMNS = """
ALTER TABLE pull_request
    ADD COLUMN branch varchar,
    ADD COLUMN base_branch varchar,
    ADD COLUMN is_open boolean DEFAULT false NOT NULL,
    ADD COLUMN changed_at timestamptz;
CREATE INDEX ix_pull_request_open ON pull_request (team_id, repository_id, changed_at) WHERE is_open;
"""
REPOSITORIES = """
CREATE TEMPORARY TABLE repository_of_service ON COMMIT DROP AS
SELECT DISTINCT ON (team_id, service_id) team_id, service_id, repository_id FROM (
    SELECT team_id, service_id, repository_id, 0 AS rank FROM service_repository
    UNION ALL
    SELECT webhook.team_id, named.value::uuid, webhook.repository_id, 1
    FROM webhook, jsonb_array_elements_text(webhook.service_ids) AS named WHERE webhook.repository_id IS NOT NULL
) AS known ORDER BY team_id, service_id, rank, repository_id;
"""
MOVE = """
INSERT INTO pull_request (
    team_id, id, repository_id, number, url, head_sha, base_sha, branch, base_branch, is_open, changed_at, created_at
)
SELECT DISTINCT ON (open.team_id, known.repository_id, open.number)
    open.team_id, open.id, known.repository_id, open.number, open.url, open.head_sha, open.base_sha, open.branch,
    open.base_branch, true, open.changed_at, open.created_at
FROM open_pull_request AS open
JOIN repository_of_service AS known ON known.team_id = open.team_id AND known.service_id = open.service_id
ORDER BY open.team_id, known.repository_id, open.number, open.changed_at DESC
ON CONFLICT (team_id, repository_id, number) DO UPDATE SET
    branch = EXCLUDED.branch, base_branch = EXCLUDED.base_branch, changed_at = EXCLUDED.changed_at,
    is_open = pull_request.merge_sha IS NULL,
    head_sha = CASE WHEN pull_request.merge_sha IS NULL THEN EXCLUDED.head_sha ELSE pull_request.head_sha END,
    base_sha = CASE WHEN pull_request.merge_sha IS NULL
        THEN coalesce(EXCLUDED.base_sha, pull_request.base_sha) ELSE pull_request.base_sha END;
"""
JOBS = """
CREATE TEMPORARY TABLE waiting_job ON COMMIT DROP AS
SELECT job.team_id, job.id, known.repository_id, job.payload, job.created_at
FROM job LEFT JOIN repository_of_service AS known ON known.team_id = job.team_id AND known.service_id = job.subject_id
WHERE job.name = 'webhooks.pull-request-changed' AND job.state IN ('waiting', 'running');
INSERT INTO pull_request (team_id, id, repository_id, number, head_sha)
SELECT team_id, gen_random_uuid(), repository_id, (payload ->> 'number')::bigint, payload ->> 'head_sha'
FROM waiting_job WHERE repository_id IS NOT NULL ON CONFLICT (team_id, repository_id, number) DO NOTHING;
UPDATE pull_request SET
    url = coalesce(job.payload ->> 'url', pull_request.url), branch = job.payload ->> 'branch',
    base_branch = job.payload ->> 'base_branch', changed_at = job.created_at, head_sha = job.payload ->> 'head_sha',
    base_sha = coalesce(job.payload ->> 'base_sha', pull_request.base_sha), is_open = (job.payload ->> 'is_open')::boolean
FROM (SELECT DISTINCT ON (team_id, repository_id, payload ->> 'number') * FROM waiting_job
      ORDER BY team_id, repository_id, payload ->> 'number', created_at DESC) AS job
WHERE pull_request.team_id = job.team_id AND pull_request.repository_id = job.repository_id
    AND pull_request.number = (job.payload ->> 'number')::bigint AND pull_request.merge_sha IS NULL;
DELETE FROM job USING waiting_job AS waiting
WHERE job.team_id = waiting.team_id AND job.id = waiting.id AND waiting.repository_id IS NULL;
UPDATE job SET payload = jsonb_build_object(
    'service_id', job.payload -> 'service_id', 'repository_id', waiting.repository_id, 'number', job.payload -> 'number')
FROM waiting_job AS waiting WHERE job.team_id = waiting.team_id AND job.id = waiting.id;
"""
FORMER = """
CREATE TABLE open_pull_request (
    service_id uuid NOT NULL, number integer NOT NULL, url varchar, branch varchar NOT NULL, base_branch varchar NOT NULL,
    head_sha varchar NOT NULL, base_sha varchar, changed_at timestamptz NOT NULL, team_id uuid NOT NULL, id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_open_pull_request PRIMARY KEY (team_id, id),
    CONSTRAINT uq_open_pull_request_team_id_service_id_number UNIQUE (team_id, service_id, number),
    CONSTRAINT fk_open_pull_request_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_open_pull_request_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE
);
ALTER TABLE open_pull_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE open_pull_request FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON open_pull_request FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON open_pull_request TO slowpath_app;
"""
MOVE_BACK = """
INSERT INTO open_pull_request (team_id, id, service_id, number, url, branch, base_branch, head_sha, base_sha, changed_at, created_at)
SELECT pull.team_id, gen_random_uuid(), source.service_id, pull.number, pull.url, pull.branch, pull.base_branch,
    pull.head_sha, pull.base_sha, coalesce(pull.changed_at, pull.created_at), pull.created_at
FROM pull_request AS pull
JOIN service_repository AS source ON source.team_id = pull.team_id AND source.repository_id = pull.repository_id
WHERE pull.is_open AND pull.branch IS NOT NULL AND pull.base_branch IS NOT NULL;
UPDATE job SET payload = jsonb_build_object(
    'service_id', job.payload -> 'service_id', 'number', job.payload -> 'number', 'url', pull.url,
    'head_sha', pull.head_sha, 'base_sha', pull.base_sha, 'branch', coalesce(pull.branch, ''),
    'base_branch', coalesce(pull.base_branch, ''), 'is_open', pull.is_open)
FROM pull_request AS pull
WHERE job.name = 'webhooks.pull-request-changed' AND job.state IN ('waiting', 'running')
    AND pull.team_id = job.team_id AND pull.repository_id = (job.payload ->> 'repository_id')::uuid
    AND pull.number = (job.payload ->> 'number')::bigint;
"""
FORMER_COLUMNS = """
DROP INDEX ix_pull_request_open;
ALTER TABLE pull_request DROP COLUMN branch, DROP COLUMN base_branch, DROP COLUMN is_open, DROP COLUMN changed_at;
"""


READ: tuple[str, ...] = ("job", "pull_request", "service_repository")


def upgrade() -> None:
    op.execute(COLUMNS)
    _force_row_security("NO FORCE", *READ, "open_pull_request", "webhook")
    op.execute(REPOSITORIES)
    op.execute(MOVE)
    op.execute(JOBS)
    op.execute("-- squawk-ignore ban-drop-table\nDROP TABLE repository_of_service, waiting_job, open_pull_request")
    _force_row_security("FORCE", *READ, "webhook")


def downgrade() -> None:
    op.execute(FORMER)
    _force_row_security("NO FORCE", *READ, "open_pull_request")
    op.execute(MOVE_BACK)
    _force_row_security("FORCE", *READ, "open_pull_request")
    op.execute(FORMER_COLUMNS)


def _force_row_security(how: str, *tables: str) -> None:
    """Let the owner see the rows of all teams, or no longer."""
    for table in tables:
        op.execute(f"ALTER TABLE {table} {how} ROW LEVEL SECURITY")
