"""Second factors of users, a team rule that requires them, and the longest session.

Code before this version reads the columns of the functions by name and ignores new ones, so it can run with it.
"""

from alembic import op

revision = "20261127_2060"
down_revision = "20261127_1700"
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
GRANT SELECT (created_at, is_multi_factor) ON user_session TO slowpath_keeper;
GRANT SELECT (requires_second_factor) ON team TO slowpath_keeper;
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
    _replace_functions(LIST_TEAMS, FIND_SESSION)


def downgrade() -> None:
    _replace_functions(FORMER_LIST_TEAMS, FORMER_FIND_SESSION)
    op.execute("DROP TABLE second_factor")
    op.execute("ALTER TABLE team DROP COLUMN requires_second_factor")
    op.execute("ALTER TABLE user_session DROP COLUMN is_multi_factor")
    op.execute("REVOKE SELECT (created_at) ON user_session FROM slowpath_keeper")


def _replace_functions(list_teams: str, find_session: str) -> None:
    signature = "cross_team.find_session(bytea, timestamptz, timestamptz, timestamptz)"
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(list_teams)
    op.execute(f"-- squawk-ignore ban-drop-function\nDROP FUNCTION {signature}")  # its columns change
    op.execute(find_session)
    op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO slowpath_cross_team")
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")
