"""Reports: frozen views, versions, share links, and the team's switch for them.

Adds four tables and one door function; older code does not see them.
"""

from alembic import op

revision = "20261121_2100"
down_revision = "20261121_2050"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE report (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    number integer NOT NULL,
    title varchar NOT NULL,
    blocks jsonb NOT NULL,
    version integer NOT NULL,
    published_at timestamptz,
    changed_at timestamptz NOT NULL,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_report PRIMARY KEY (team_id, id),
    CONSTRAINT uq_report_number UNIQUE (team_id, number),
    CONSTRAINT fk_report_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_report_created_by FOREIGN KEY (created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_report_newest ON report (team_id, created_at, id);
CREATE INDEX ix_report_created_by ON report (created_by);

CREATE TABLE report_version (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    report_id uuid NOT NULL,
    version integer NOT NULL,
    title varchar NOT NULL,
    blocks jsonb NOT NULL,
    published_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_report_version PRIMARY KEY (team_id, id),
    CONSTRAINT uq_report_version_once UNIQUE (team_id, report_id, version),
    CONSTRAINT fk_report_version_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_report_version_team_id_report_id FOREIGN KEY (team_id, report_id)
        REFERENCES report (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_report_version_published_by FOREIGN KEY (published_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_report_version_published_by ON report_version (published_by);

CREATE TABLE share_link (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    report_id uuid NOT NULL,
    name varchar NOT NULL,
    secret_hash bytea NOT NULL,
    version integer,
    scrub jsonb NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    views integer NOT NULL,
    last_viewed_at timestamptz,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_share_link PRIMARY KEY (team_id, id),
    CONSTRAINT uq_share_link_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_share_link_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_share_link_team_id_report_id FOREIGN KEY (team_id, report_id)
        REFERENCES report (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_share_link_created_by FOREIGN KEY (created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_share_link_newest ON share_link (team_id, report_id, created_at, id);
CREATE INDEX ix_share_link_created_by ON share_link (created_by);

CREATE TABLE sharing (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    links_allowed boolean NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_sharing PRIMARY KEY (team_id, id),
    CONSTRAINT uq_sharing_team_id UNIQUE (team_id),
    CONSTRAINT fk_sharing_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
"""
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""
# Whoever opens a link is known to nobody: the secret's hash alone leads to the team.
DOOR = """
CREATE POLICY keeper ON share_link FOR SELECT TO slowpath_keeper USING (true);
GRANT SELECT (team_id, id, report_id, secret_hash, expires_at, revoked_at) ON share_link TO slowpath_keeper;
CREATE POLICY keeper ON sharing FOR SELECT TO slowpath_keeper USING (true);
GRANT SELECT (team_id, links_allowed) ON sharing TO slowpath_keeper;
CREATE FUNCTION door.find_share_link(sought bytea)
RETURNS TABLE (team_id uuid, link_id uuid, report_id uuid, expires_at timestamptz, revoked_at timestamptz, allowed boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.id, found.report_id, found.expires_at, found.revoked_at,
        coalesce((SELECT switch.links_allowed FROM public.sharing AS switch WHERE switch.team_id = found.team_id), true)
    FROM public.share_link AS found JOIN public.team ON team.id = found.team_id
    WHERE found.secret_hash = sought AND team.deleted_at IS NULL
$$;
REVOKE ALL ON FUNCTION door.find_share_link(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION door.find_share_link(bytea) TO slowpath_cross_team;
GRANT CREATE ON SCHEMA door TO slowpath_keeper;
ALTER FUNCTION door.find_share_link(bytea) OWNER TO slowpath_keeper;
REVOKE CREATE ON SCHEMA door FROM slowpath_keeper;
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in ("report", "report_version", "share_link", "sharing"):
        op.execute(OF_TEAM.format(table=table))
    op.execute(DOOR)


def downgrade() -> None:
    # The function belongs to the keeper, and only who owns it may drop it.
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute("DROP FUNCTION door.find_share_link(bytea)")
    op.execute("RESET ROLE")
    for table in ("sharing", "share_link", "report_version", "report"):
        op.execute(f"DROP TABLE {table}")
