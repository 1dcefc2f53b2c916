"""People are known by an issuer too; programs have accounts of their own; a token has its own rate.

Adds two tables and columns that may be absent; older code does not see them.
"""

from alembic import op

revision = "20261121_2300"
down_revision = "20261121_2250"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE user_sign_in (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    issuer varchar NOT NULL,
    subject varchar NOT NULL,
    email varchar,
    last_used_at timestamptz NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_user_sign_in PRIMARY KEY (id),
    CONSTRAINT uq_user_sign_in_issuer_subject UNIQUE (issuer, subject),
    CONSTRAINT fk_user_sign_in_user_id FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_user_sign_in_user_id ON user_sign_in (user_id);

CREATE TABLE service_account (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name varchar NOT NULL,
    role varchar NOT NULL,
    disabled_at timestamptz,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_account PRIMARY KEY (team_id, id),
    CONSTRAINT uq_service_account_team_id_name UNIQUE (team_id, name),
    CONSTRAINT fk_service_account_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_service_account_created_by FOREIGN KEY (created_by) REFERENCES app_user (id) ON DELETE SET NULL,
    CONSTRAINT ck_service_account_role CHECK (role in ('viewer', 'member'))
);
CREATE INDEX ix_service_account_newest ON service_account (team_id, created_at, id);
CREATE INDEX ix_service_account_created_by ON service_account (created_by);

ALTER TABLE api_token
    ADD COLUMN service_account_id uuid,
    ADD COLUMN requests_per_minute integer,
    ADD COLUMN uploads_per_minute integer,
    ADD CONSTRAINT fk_api_token_team_id_service_account_id FOREIGN KEY (team_id, service_account_id)
        REFERENCES service_account (team_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT ck_api_token_rates CHECK (requests_per_minute > 0 AND uploads_per_minute > 0);
CREATE INDEX ix_api_token_service_account_id ON api_token (team_id, service_account_id);
"""

TEAM = "nullif(current_setting('slowpath.team_id', true), '')::uuid"
PERSON = "nullif(current_setting('slowpath.user_id', true), '')::uuid"
RIGHTS = f"""
ALTER TABLE service_account ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_account FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON service_account FOR ALL TO slowpath_app USING (team_id = {TEAM}) WITH CHECK (team_id = {TEAM});
ALTER TABLE user_sign_in ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_sign_in FORCE ROW LEVEL SECURITY;
CREATE POLICY person ON user_sign_in FOR ALL TO slowpath_app USING (user_id = {PERSON}) WITH CHECK (user_id = {PERSON});
GRANT SELECT, INSERT, UPDATE, DELETE ON service_account, user_sign_in TO slowpath_app;

CREATE POLICY keeper ON service_account FOR SELECT TO slowpath_keeper USING (true);
CREATE POLICY keeper ON user_sign_in FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
GRANT SELECT (team_id, id, role, disabled_at) ON service_account TO slowpath_keeper;
GRANT SELECT (id, user_id, issuer, subject), UPDATE (email, last_used_at) ON user_sign_in TO slowpath_keeper;
GRANT SELECT (service_account_id, requests_per_minute, uploads_per_minute) ON api_token TO slowpath_keeper;
"""

# What a token may is bounded by the account it belongs to, so both are found at once. `find_token` stays for the code
# that runs while this is rolled out.
FOUND_NOW = """
CREATE FUNCTION door.find_token_with_account(sought bytea, seen_at timestamptz, touch_before timestamptz)
RETURNS TABLE (
    token_id uuid, team_id uuid, scopes varchar[], expires_at timestamptz, revoked_at timestamptz,
    requests_per_minute integer, uploads_per_minute integer,
    account_id uuid, account_role varchar, account_disabled_at timestamptz
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.api_token AS touched SET last_used_at = seen_at
    WHERE touched.secret_hash = sought AND touched.revoked_at IS NULL
        AND (touched.expires_at IS NULL OR touched.expires_at > seen_at)
        AND (touched.last_used_at IS NULL OR touched.last_used_at < touch_before)
        AND NOT EXISTS (
            SELECT FROM public.service_account AS account
            WHERE account.team_id = touched.team_id AND account.id = touched.service_account_id
                AND account.disabled_at IS NOT NULL
        );
    RETURN QUERY
        SELECT found.id, found.team_id, found.scopes, found.expires_at, found.revoked_at,
            found.requests_per_minute, found.uploads_per_minute, account.id, account.role, account.disabled_at
        FROM public.api_token AS found
            JOIN public.team ON team.id = found.team_id
            LEFT JOIN public.service_account AS account
                ON account.team_id = found.team_id AND account.id = found.service_account_id
        WHERE found.secret_hash = sought AND team.deleted_at IS NULL;
END
$$;
"""

# Who signs in by an issuer alone has no password, and is found all the same.
PERSON_BEFORE = """
CREATE OR REPLACE FUNCTION door.find_person(sought varchar)
RETURNS TABLE (user_id uuid, email varchar, name varchar, password_hash varchar)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT person.id, person.email, person.name, kept.hash
    FROM public.app_user AS person JOIN public.user_password AS kept ON kept.user_id = person.id
    WHERE person.email_key = sought
$$;
"""
PERSON_NOW = PERSON_BEFORE.replace("AS person JOIN", "AS person LEFT JOIN")

SIGN_IN = """
CREATE FUNCTION door.find_sign_in(its_issuer varchar, its_subject varchar, told_email varchar, seen_at timestamptz)
RETURNS TABLE (user_id uuid, email varchar, name varchar)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.user_sign_in AS touched SET last_used_at = seen_at, email = told_email
    WHERE touched.issuer = its_issuer AND touched.subject = its_subject;
    RETURN QUERY
        SELECT person.id, person.email, person.name
        FROM public.user_sign_in AS found JOIN public.app_user AS person ON person.id = found.user_id
        WHERE found.issuer = its_issuer AND found.subject = its_subject;
END
$$;

CREATE FUNCTION door.find_team(sought varchar) RETURNS TABLE (team_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT team.id FROM public.team WHERE team.slug = sought AND team.deleted_at IS NULL
$$;
"""

ADDED = (
    "door.find_token_with_account(bytea, timestamptz, timestamptz)",
    "door.find_sign_in(varchar, varchar, varchar, timestamptz)",
    "door.find_team(varchar)",
)
HAND_OVER = """
REVOKE ALL ON FUNCTION {function} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {function} TO slowpath_cross_team;
ALTER FUNCTION {function} OWNER TO slowpath_keeper;
"""


def _as_keeper(statement: str) -> None:
    """A function belongs to the keeper, and only who owns it may replace or drop it."""
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(statement)
    op.execute("RESET ROLE")


def upgrade() -> None:
    op.execute(TABLES)
    op.execute(RIGHTS)
    op.execute("GRANT CREATE ON SCHEMA door TO slowpath_keeper")
    op.execute(FOUND_NOW)
    op.execute(SIGN_IN)
    for function in ADDED:
        op.execute(HAND_OVER.format(function=function))
    _as_keeper(PERSON_NOW)
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")


def downgrade() -> None:
    op.execute("GRANT CREATE ON SCHEMA door TO slowpath_keeper")
    for function in ADDED:
        _as_keeper(f"DROP FUNCTION {function}")
    _as_keeper(PERSON_BEFORE)
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")
    op.execute(
        "ALTER TABLE api_token DROP COLUMN service_account_id, DROP COLUMN requests_per_minute, DROP COLUMN uploads_per_minute"
    )
    op.execute("DROP TABLE service_account")
    op.execute("DROP TABLE user_sign_in")
