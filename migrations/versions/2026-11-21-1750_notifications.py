"""Channels by which teams are told, and the messages on their way.

Adds two tables; older code does not see them.
"""

from alembic import op

revision = "20261121_1750"
down_revision = "20261121_1700"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE channel (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    kind varchar NOT NULL,
    label varchar NOT NULL,
    target jsonb NOT NULL,
    sealed bytea,
    events jsonb NOT NULL,
    service_ids jsonb,
    state varchar NOT NULL,
    failing_since timestamptz,
    problem jsonb,
    sent_at timestamptz,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_channel PRIMARY KEY (team_id, id),
    CONSTRAINT ck_channel_kind CHECK (kind in ('slack', 'email', 'webhook', 'github', 'gitlab')),
    CONSTRAINT ck_channel_state CHECK (state in ('on', 'off', 'dead')),
    CONSTRAINT fk_channel_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_channel_newest ON channel (team_id, created_at, id);

CREATE TABLE message (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    channel_id uuid NOT NULL,
    event varchar NOT NULL,
    dedupe_key varchar NOT NULL,
    thread varchar,
    content jsonb NOT NULL,
    state varchar NOT NULL,
    failures integer NOT NULL,
    next_at timestamptz,
    problem jsonb,
    sent_at timestamptz,
    outside_id varchar,
    job_id uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_message PRIMARY KEY (team_id, id),
    CONSTRAINT uq_message_once UNIQUE (team_id, channel_id, dedupe_key),
    CONSTRAINT ck_message_state CHECK (state in ('waiting', 'sent', 'given-up')),
    CONSTRAINT fk_message_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_message_team_id_channel_id FOREIGN KEY (team_id, channel_id)
        REFERENCES channel (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_message_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id)
);
CREATE INDEX ix_message_newest ON message (team_id, channel_id, created_at, id);
CREATE INDEX ix_message_thread ON message (team_id, channel_id, thread);
"""

SEPARATION = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in ("channel", "message"):
        op.execute(SEPARATION.format(table=table))


def downgrade() -> None:
    op.execute("DROP TABLE message")
    op.execute("DROP TABLE channel")
