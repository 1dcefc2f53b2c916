"""Second factors of users, a team rule that requires them, the longest session, and CI without stored secrets.

Code before this version reads the columns of the functions by name and ignores new ones, so it can run with it.
"""

from alembic import op

revision = "20261127_2100"
down_revision = "20261127_2050"
branch_labels = None
depends_on = None

CREATE = """
ALTER TABLE user_session ADD COLUMN is_multi_factor boolean DEFAULT false NOT NULL;
ALTER TABLE team ADD COLUMN requires_second_factor boolean DEFAULT false NOT NULL;
CREATE TABLE second_factor (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    kind varchar NOT NULL,
    name varchar NOT NULL,
    secret bytea NOT NULL,
    credential_id bytea,
    counter bigint NOT NULL,
    last_used_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_second_factor PRIMARY KEY (id),
    CONSTRAINT ck_second_factor_kind CHECK (kind in ('totp', 'passkey', 'recovery-code')),
    CONSTRAINT fk_second_factor_user_id FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_second_factor_user_id ON second_factor (user_id);
ALTER TABLE second_factor ENABLE ROW LEVEL SECURITY;
ALTER TABLE second_factor FORCE ROW LEVEL SECURITY;
CREATE POLICY person ON second_factor FOR ALL TO slowpath_app
    USING (user_id = nullif(current_setting('slowpath.user_id', true), '')::uuid)
    WITH CHECK (user_id = nullif(current_setting('slowpath.user_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON second_factor TO slowpath_app;
CREATE TABLE ci_trust (
    service_account_id uuid NOT NULL,
    provider varchar NOT NULL,
    issuer varchar NOT NULL,
    repository varchar NOT NULL,
    branch varchar,
    environment varchar,
    scopes varchar[] NOT NULL,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_ci_trust PRIMARY KEY (team_id, id),
    CONSTRAINT ck_ci_trust_provider CHECK (provider in ('github', 'gitlab')),
    CONSTRAINT fk_ci_trust_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_ci_trust_team_id_service_account_id FOREIGN KEY (team_id, service_account_id)
        REFERENCES service_account (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_ci_trust_service_account_id ON ci_trust (team_id, service_account_id);
ALTER TABLE ci_trust ENABLE ROW LEVEL SECURITY;
ALTER TABLE ci_trust FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON ci_trust FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
CREATE POLICY keeper ON ci_trust FOR SELECT TO slowpath_keeper USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON ci_trust TO slowpath_app;
GRANT SELECT (team_id, id, service_account_id, provider, issuer, repository, branch, environment, scopes) ON ci_trust
    TO slowpath_keeper;
ALTER TABLE api_token ADD COLUMN ci_trust_id uuid;
CREATE INDEX ix_api_token_ci_trust_id ON api_token (team_id, ci_trust_id);
GRANT SELECT (created_at, is_multi_factor) ON user_session TO slowpath_keeper;
GRANT SELECT (requires_second_factor) ON team TO slowpath_keeper;
"""
REFER_TO_TRUST = """
-- squawk-ignore constraint-missing-not-valid, adding-foreign-key-constraint
ALTER TABLE api_token ADD CONSTRAINT fk_api_token_team_id_ci_trust_id FOREIGN KEY (team_id, ci_trust_id)
    REFERENCES ci_trust (team_id, id) ON DELETE CASCADE;
"""
LIST_TEAMS = """
CREATE OR REPLACE FUNCTION cross_team.list_teams(sought uuid)
    RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
        jsonb_agg(
            jsonb_build_object('id', team.id, 'slug', team.slug, 'name', team.name, 'role', membership.role,
                'requires_second_factor', team.requires_second_factor)
            ORDER BY membership.created_at, team.id
        ),
        '[]'
    )
    FROM public.membership JOIN public.team ON team.id = membership.team_id
    WHERE membership.user_id = sought AND team.deleted_at IS NULL
$$;
"""
FIND_SESSION = """
CREATE FUNCTION cross_team.find_session(
    sought bytea, seen_at timestamptz, touch_before timestamptz, ends_at timestamptz
)
    RETURNS TABLE (session_id uuid, user_id uuid, email varchar, name varchar, teams jsonb, is_multi_factor boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.user_session AS touched
    SET last_seen_at = seen_at, expires_at = least(ends_at, touched.created_at + interval '90 days')
    WHERE touched.secret_hash = sought AND touched.expires_at > seen_at AND touched.last_seen_at < touch_before;
    RETURN QUERY
        SELECT found.id, person.id, person.email, person.name, cross_team.list_teams(person.id), found.is_multi_factor
        FROM public.user_session AS found JOIN public.app_user AS person ON person.id = found.user_id
        WHERE found.secret_hash = sought AND found.expires_at > seen_at;
END
$$;
"""
LIST_CI_TRUSTS = """
CREATE FUNCTION cross_team.list_ci_trusts(its_slug varchar, its_issuer varchar)
    RETURNS TABLE (team_id uuid, trust_id uuid, service_account_id uuid, provider varchar, repository varchar,
        branch varchar, environment varchar, scopes varchar[])
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT trust.team_id, trust.id, trust.service_account_id, trust.provider, trust.repository, trust.branch,
        trust.environment, trust.scopes
    FROM public.ci_trust AS trust
        JOIN public.team ON team.id = trust.team_id
        JOIN public.service_account AS account
            ON account.team_id = trust.team_id AND account.id = trust.service_account_id
    WHERE team.slug = its_slug AND trust.issuer = its_issuer AND team.deleted_at IS NULL
        AND account.disabled_at IS NULL
$$;
"""
FORMER_LIST_TEAMS = """
CREATE OR REPLACE FUNCTION cross_team.list_teams(sought uuid)
    RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
        jsonb_agg(
            jsonb_build_object('id', team.id, 'slug', team.slug, 'name', team.name, 'role', membership.role)
            ORDER BY membership.created_at, team.id
        ),
        '[]'
    )
    FROM public.membership JOIN public.team ON team.id = membership.team_id
    WHERE membership.user_id = sought AND team.deleted_at IS NULL
$$;
"""
FORMER_FIND_SESSION = """
CREATE FUNCTION cross_team.find_session(
    sought bytea, seen_at timestamptz, touch_before timestamptz, ends_at timestamptz
)
    RETURNS TABLE (session_id uuid, user_id uuid, email varchar, name varchar, teams jsonb)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.user_session AS touched SET last_seen_at = seen_at, expires_at = ends_at
    WHERE touched.secret_hash = sought AND touched.expires_at > seen_at AND touched.last_seen_at < touch_before;
    RETURN QUERY
        SELECT found.id, person.id, person.email, person.name, cross_team.list_teams(person.id)
        FROM public.user_session AS found JOIN public.app_user AS person ON person.id = found.user_id
        WHERE found.secret_hash = sought AND found.expires_at > seen_at;
END
$$;
"""


def upgrade() -> None:
    op.execute(CREATE)
    op.execute(REFER_TO_TRUST)  # the column is new, so there is nothing to check
    _replace_functions(LIST_TEAMS, FIND_SESSION, LIST_CI_TRUSTS)


def downgrade() -> None:
    _replace_functions(FORMER_LIST_TEAMS, FORMER_FIND_SESSION)
    op.execute("-- squawk-ignore ban-drop-function\nDROP FUNCTION cross_team.list_ci_trusts(varchar, varchar)")
    op.execute("ALTER TABLE api_token DROP COLUMN ci_trust_id")
    op.execute("DROP TABLE ci_trust")
    op.execute("DROP TABLE second_factor")
    op.execute("ALTER TABLE team DROP COLUMN requires_second_factor")
    op.execute("ALTER TABLE user_session DROP COLUMN is_multi_factor")
    op.execute("REVOKE SELECT (created_at) ON user_session FROM slowpath_keeper")


def _replace_functions(list_teams: str, find_session: str, list_ci_trusts: str = "") -> None:
    signature = "cross_team.find_session(bytea, timestamptz, timestamptz, timestamptz)"
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(list_teams)
    op.execute(f"-- squawk-ignore ban-drop-function\nDROP FUNCTION {signature}")  # its columns change
    op.execute(find_session)
    op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO slowpath_cross_team")
    if list_ci_trusts:
        op.execute(list_ci_trusts)
        op.execute("REVOKE ALL ON FUNCTION cross_team.list_ci_trusts(varchar, varchar) FROM PUBLIC")
        op.execute("GRANT EXECUTE ON FUNCTION cross_team.list_ci_trusts(varchar, varchar) TO slowpath_cross_team")
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")
