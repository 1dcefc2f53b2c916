"""An identity provider provisions the members of a team by SCIM.

Code before this version ignores the table; it rejects every request with a token whose scope is `scim`, as an error.
"""

from alembic import op

revision = "20261128_1200"
down_revision = "20261128_1000"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE provisioned_member (
    team_id uuid NOT NULL, id uuid NOT NULL, user_id uuid, claimed_at timestamptz, user_name varchar NOT NULL,
    user_name_key varchar NOT NULL, address_key varchar, external_id varchar, display_name varchar,
    formatted_name varchar, given_name varchar, family_name varchar, emails jsonb NOT NULL,
    group_roles varchar[] DEFAULT '{}' NOT NULL, role varchar NOT NULL, is_active boolean NOT NULL,
    updated_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_provisioned_member PRIMARY KEY (team_id, id),
    CONSTRAINT uq_provisioned_member_team_id_user_name_key UNIQUE (team_id, user_name_key),
    CONSTRAINT uq_provisioned_member_team_id_address_key UNIQUE (team_id, address_key),
    CONSTRAINT uq_provisioned_member_team_id_user_id UNIQUE (team_id, user_id),
    CONSTRAINT ck_provisioned_member_role CHECK (role in ('viewer', 'member', 'admin', 'owner')),
    CONSTRAINT fk_provisioned_member_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_provisioned_member_user_id FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE SET NULL
);
CREATE INDEX ix_provisioned_member_user_id ON provisioned_member (user_id);
CREATE INDEX ix_provisioned_member_order ON provisioned_member (team_id, created_at, id);
CREATE INDEX ix_provisioned_member_external_id ON provisioned_member (team_id, external_id);
CREATE INDEX ix_provisioned_member_unclaimed ON provisioned_member (address_key)
    WHERE claimed_at IS NULL OR user_id IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON provisioned_member TO slowpath_app;
GRANT SELECT (team_id, id, user_id, address_key, claimed_at, is_active, created_at) ON provisioned_member
    TO slowpath_keeper;
ALTER TABLE provisioned_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE provisioned_member FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON provisioned_member FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
CREATE POLICY keeper ON provisioned_member FOR SELECT TO slowpath_keeper USING (true);
"""

SIGNATURE = "cross_team.list_unclaimed_members(varchar, timestamptz)"
LIST_UNCLAIMED_MEMBERS = """
CREATE FUNCTION cross_team.list_unclaimed_members(sought varchar, at timestamptz)
    RETURNS TABLE (team_id uuid, member_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.id
    FROM public.provisioned_member AS found JOIN public.team ON team.id = found.team_id
    WHERE found.address_key = sought AND found.is_active AND (found.claimed_at IS NULL OR found.user_id IS NULL)
        AND team.deleted_at IS NULL
        AND EXISTS (
            SELECT FROM public.api_token AS token
            WHERE token.team_id = found.team_id AND 'scim' = ANY (token.scopes) AND token.revoked_at IS NULL
                AND (token.expires_at IS NULL OR token.expires_at > at)
        )
    ORDER BY found.created_at, found.team_id LIMIT 50
$$;
"""


def upgrade() -> None:
    op.execute(TABLES)
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(LIST_UNCLAIMED_MEMBERS)
    op.execute(f"REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {SIGNATURE} TO slowpath_cross_team")
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")


def downgrade() -> None:
    op.execute(f"-- squawk-ignore ban-drop-function\nDROP FUNCTION {SIGNATURE}")
    op.execute("-- squawk-ignore ban-drop-table\nDROP TABLE provisioned_member")
