"""Hooks of GitHub and GitLab, and what they delivered.

Adds tables and a door function; older code does not see them.
"""

from alembic import op

revision = "20261121_1950"
down_revision = "20261121_1900"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE hook (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    label varchar NOT NULL,
    kind varchar NOT NULL,
    sealed bytea NOT NULL,
    repository_id uuid,
    service_ids jsonb DEFAULT '[]' NOT NULL,
    api_url varchar,
    api_sealed bytea,
    target varchar,
    external_id varchar,
    last_delivery_at timestamptz,
    reconciled_at timestamptz,
    missed integer DEFAULT 0 NOT NULL,
    problem jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_hook PRIMARY KEY (team_id, id),
    CONSTRAINT ck_hook_kind CHECK (kind in ('gitlab', 'github')),
    CONSTRAINT ck_hook_api CHECK ((api_url IS NULL) = (api_sealed IS NULL)),
    CONSTRAINT fk_hook_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_hook_team_id_repository_id FOREIGN KEY (team_id, repository_id)
        REFERENCES repository (team_id, id) ON DELETE SET NULL (repository_id)
);
CREATE INDEX ix_hook_newest ON hook (team_id, created_at, id);
CREATE INDEX ix_hook_id ON hook (id);

CREATE TABLE hook_delivery (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    hook_id uuid NOT NULL,
    delivery_id varchar NOT NULL,
    sha256 varchar NOT NULL,
    event varchar NOT NULL,
    size_bytes integer NOT NULL,
    state varchar NOT NULL,
    sentence varchar NOT NULL,
    content bytea,
    taken_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_hook_delivery PRIMARY KEY (team_id, id),
    CONSTRAINT uq_hook_delivery_id UNIQUE (team_id, hook_id, delivery_id),
    CONSTRAINT uq_hook_delivery_content UNIQUE (team_id, hook_id, event, sha256),
    CONSTRAINT ck_hook_delivery_state CHECK (state in ('waiting', 'failed', 'ignored', 'done')),
    CONSTRAINT fk_hook_delivery_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_hook_delivery_team_id_hook_id FOREIGN KEY (team_id, hook_id)
        REFERENCES hook (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_hook_delivery_newest ON hook_delivery (team_id, hook_id, created_at, id);
"""
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""
# Who sends to a hook is known by its signature alone, which can only be checked once the hook is found.
DOOR = """
CREATE POLICY keeper ON hook FOR SELECT TO slowpath_keeper USING (true);
GRANT SELECT (team_id, id, kind, sealed) ON hook TO slowpath_keeper;
CREATE FUNCTION door.find_hook(sought uuid) RETURNS TABLE (team_id uuid, kind varchar, sealed bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.kind, found.sealed
    FROM public.hook AS found JOIN public.team ON team.id = found.team_id
    WHERE found.id = sought AND team.deleted_at IS NULL
$$;
REVOKE ALL ON FUNCTION door.find_hook(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION door.find_hook(uuid) TO slowpath_cross_team;
GRANT CREATE ON SCHEMA door TO slowpath_keeper;
ALTER FUNCTION door.find_hook(uuid) OWNER TO slowpath_keeper;
REVOKE CREATE ON SCHEMA door FROM slowpath_keeper;
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in ("hook", "hook_delivery"):
        op.execute(OF_TEAM.format(table=table))
    op.execute(DOOR)


def downgrade() -> None:
    # The function belongs to the keeper, and only who owns it may drop it.
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute("DROP FUNCTION door.find_hook(uuid)")
    op.execute("RESET ROLE")
    op.execute("DROP TABLE hook_delivery")
    op.execute("DROP TABLE hook")
