"""People can sign up, form teams, invite each other and make tokens; what changes is written down.

The first migration: no code runs before it.

Row-level security: rows of a team are seen by `slowpath_app` only while `slowpath.team_id` names the
team, rows of a person only while `slowpath.user_id` names the person; unset means none. What must
be found before either is known is found by the functions of the schema `door`.
"""

from alembic import op

revision = "20261121_0900"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE app_user (
    id uuid NOT NULL,
    email varchar NOT NULL,
    email_key varchar NOT NULL,
    name varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_app_user PRIMARY KEY (id),
    CONSTRAINT uq_app_user_email_key UNIQUE (email_key)
);

CREATE TABLE user_password (
    user_id uuid NOT NULL,
    hash varchar NOT NULL,
    changed_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_user_password PRIMARY KEY (user_id),
    CONSTRAINT fk_user_password_user_id FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE
);

CREATE TABLE user_session (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    browser varchar NOT NULL,
    address varchar NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_user_session PRIMARY KEY (id),
    CONSTRAINT uq_user_session_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_user_session_user_id FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_user_session_newest ON user_session (user_id, created_at, id);

CREATE TABLE team (
    id uuid NOT NULL,
    slug varchar NOT NULL,
    name varchar NOT NULL,
    deleted_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_team PRIMARY KEY (id),
    CONSTRAINT uq_team_slug UNIQUE (slug)
);

CREATE TABLE membership (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    role varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_membership PRIMARY KEY (team_id, id),
    CONSTRAINT uq_membership_team_id_user_id UNIQUE (team_id, user_id),
    CONSTRAINT fk_membership_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_membership_user_id FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE,
    CONSTRAINT ck_membership_role CHECK (role in ('viewer', 'member', 'admin', 'owner'))
);
CREATE INDEX ix_membership_user_id ON membership (user_id);
CREATE INDEX ix_membership_newest ON membership (team_id, created_at, id);

CREATE TABLE invitation (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    role varchar NOT NULL,
    email varchar,
    secret_hash bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    created_by uuid,
    accepted_at timestamptz,
    accepted_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_invitation PRIMARY KEY (team_id, id),
    CONSTRAINT uq_invitation_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_invitation_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_invitation_created_by FOREIGN KEY (created_by) REFERENCES app_user (id) ON DELETE SET NULL,
    CONSTRAINT fk_invitation_accepted_by FOREIGN KEY (accepted_by) REFERENCES app_user (id) ON DELETE SET NULL,
    CONSTRAINT ck_invitation_role CHECK (role in ('viewer', 'member', 'admin', 'owner'))
);
CREATE INDEX ix_invitation_newest ON invitation (team_id, created_at, id);
CREATE INDEX ix_invitation_created_by ON invitation (created_by);
CREATE INDEX ix_invitation_accepted_by ON invitation (accepted_by);

CREATE TABLE api_token (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name varchar NOT NULL,
    prefix varchar NOT NULL,
    secret_hash bytea NOT NULL,
    scopes varchar[] NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_api_token PRIMARY KEY (team_id, id),
    CONSTRAINT uq_api_token_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_api_token_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_api_token_created_by FOREIGN KEY (created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_api_token_newest ON api_token (team_id, created_at, id);
CREATE INDEX ix_api_token_created_by ON api_token (created_by);

CREATE TABLE audit_event (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    actor_id uuid,
    actor_kind varchar NOT NULL,
    actor_name varchar NOT NULL,
    action varchar NOT NULL,
    subject_kind varchar NOT NULL,
    subject_id uuid,
    facts jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_audit_event PRIMARY KEY (team_id, id),
    CONSTRAINT fk_audit_event_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_audit_event_newest ON audit_event (team_id, created_at, id);
"""

TEAM = "nullif(current_setting('slowpath.team_id', true), '')::uuid"
PERSON = "nullif(current_setting('slowpath.user_id', true), '')::uuid"

TEAM_TABLES = ("membership", "invitation", "api_token", "audit_event")
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app USING (team_id = {team}) WITH CHECK (team_id = {team});
"""

PERSON_TABLES = ("user_password", "user_session")
OF_PERSON = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY person ON {table} FOR ALL TO slowpath_app USING (user_id = {person}) WITH CHECK (user_id = {person});
"""

# A team is its own row. A person is seen by themselves and, for the names in lists, by those of the current team; the
# inner SELECT is beneath the policy of `membership` too.
OTHER_POLICIES = """
ALTER TABLE team ENABLE ROW LEVEL SECURITY;
ALTER TABLE team FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON team FOR ALL TO slowpath_app USING (id = {team}) WITH CHECK (id = {team});

ALTER TABLE app_user ENABLE ROW LEVEL SECURITY;
ALTER TABLE app_user FORCE ROW LEVEL SECURITY;
CREATE POLICY person ON app_user FOR ALL TO slowpath_app USING (id = {person}) WITH CHECK (id = {person});
CREATE POLICY colleague ON app_user FOR SELECT TO slowpath_app
    USING (EXISTS (SELECT FROM membership WHERE membership.user_id = app_user.id AND membership.team_id = {team}));
"""

# The log is added to and read; nobody changes it. It goes with its team, by the cascade.
GRANTS = """
GRANT SELECT, INSERT, UPDATE, DELETE ON app_user, user_password, user_session, team, membership, invitation, api_token
    TO slowpath_app;
GRANT SELECT, INSERT ON audit_event TO slowpath_app;

GRANT SELECT (id, email, email_key, name) ON app_user TO slowpath_keeper;
GRANT SELECT (user_id, hash) ON user_password TO slowpath_keeper;
GRANT SELECT (id, user_id, secret_hash, last_seen_at, expires_at), UPDATE (last_seen_at, expires_at)
    ON user_session TO slowpath_keeper;
GRANT SELECT (id, slug, name, deleted_at) ON team TO slowpath_keeper;
GRANT SELECT (team_id, user_id, role, created_at) ON membership TO slowpath_keeper;
GRANT SELECT (team_id, id, role, email, secret_hash, expires_at, accepted_at) ON invitation TO slowpath_keeper;
GRANT SELECT (team_id, id, secret_hash, scopes, expires_at, last_used_at, revoked_at), UPDATE (last_used_at)
    ON api_token TO slowpath_keeper;
"""
KEPT = ("app_user", "user_password", "user_session", "team", "membership", "invitation", "api_token")
OF_KEEPER = "CREATE POLICY keeper ON {table} FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);"

DOOR = """
CREATE SCHEMA door;
GRANT USAGE, CREATE ON SCHEMA door TO slowpath_keeper;
GRANT USAGE ON SCHEMA door TO slowpath_cross_team;

CREATE FUNCTION door.teams_of(sought uuid) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

CREATE FUNCTION door.find_session(sought bytea, seen_at timestamptz, touch_before timestamptz, ends_at timestamptz)
RETURNS TABLE (session_id uuid, user_id uuid, email varchar, name varchar, teams jsonb)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.user_session AS touched SET last_seen_at = seen_at, expires_at = ends_at
    WHERE touched.secret_hash = sought AND touched.expires_at > seen_at AND touched.last_seen_at < touch_before;
    RETURN QUERY
        SELECT found.id, person.id, person.email, person.name, door.teams_of(person.id)
        FROM public.user_session AS found JOIN public.app_user AS person ON person.id = found.user_id
        WHERE found.secret_hash = sought AND found.expires_at > seen_at;
END
$$;

CREATE FUNCTION door.find_token(sought bytea, seen_at timestamptz, touch_before timestamptz)
RETURNS TABLE (token_id uuid, team_id uuid, scopes varchar[], expires_at timestamptz, revoked_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.api_token AS touched SET last_used_at = seen_at
    WHERE touched.secret_hash = sought AND touched.revoked_at IS NULL
        AND (touched.expires_at IS NULL OR touched.expires_at > seen_at)
        AND (touched.last_used_at IS NULL OR touched.last_used_at < touch_before);
    RETURN QUERY
        SELECT found.id, found.team_id, found.scopes, found.expires_at, found.revoked_at
        FROM public.api_token AS found JOIN public.team ON team.id = found.team_id
        WHERE found.secret_hash = sought AND team.deleted_at IS NULL;
END
$$;

CREATE FUNCTION door.find_invitation(sought bytea)
RETURNS TABLE (
    invitation_id uuid, team_id uuid, team_slug varchar, team_name varchar,
    role varchar, email varchar, expires_at timestamptz, accepted_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.id, found.team_id, team.slug, team.name, found.role, found.email, found.expires_at, found.accepted_at
    FROM public.invitation AS found JOIN public.team ON team.id = found.team_id
    WHERE found.secret_hash = sought AND team.deleted_at IS NULL
$$;

CREATE FUNCTION door.find_person(sought varchar)
RETURNS TABLE (user_id uuid, email varchar, name varchar, password_hash varchar)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT person.id, person.email, person.name, kept.hash
    FROM public.app_user AS person JOIN public.user_password AS kept ON kept.user_id = person.id
    WHERE person.email_key = sought
$$;
"""

# Functions are executable by everyone when they are made. To own them the keeper must be able to create in their
# schema; it can no longer afterwards.
DOORS = (
    "door.teams_of(uuid)",
    "door.find_session(bytea, timestamptz, timestamptz, timestamptz)",
    "door.find_token(bytea, timestamptz, timestamptz)",
    "door.find_invitation(bytea)",
    "door.find_person(varchar)",
)
HAND_OVER = """
REVOKE ALL ON FUNCTION {function} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {function} TO slowpath_cross_team;
ALTER FUNCTION {function} OWNER TO slowpath_keeper;
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in TEAM_TABLES:
        op.execute(OF_TEAM.format(table=table, team=TEAM))
    for table in PERSON_TABLES:
        op.execute(OF_PERSON.format(table=table, person=PERSON))
    op.execute(OTHER_POLICIES.format(team=TEAM, person=PERSON))
    op.execute(GRANTS)
    for table in KEPT:
        op.execute(OF_KEEPER.format(table=table))
    op.execute(DOOR)
    for function in DOORS:
        op.execute(HAND_OVER.format(function=function))
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")


def downgrade() -> None:
    # Each function belongs to the keeper, and only who owns it may drop it.
    op.execute("SET LOCAL ROLE slowpath_keeper")
    for function in reversed(DOORS):
        op.execute(f"DROP FUNCTION {function}")
    op.execute("RESET ROLE")
    op.execute("DROP SCHEMA door")
    op.execute("DROP POLICY colleague ON app_user")  # it reads membership
    for table in (
        "audit_event",
        "api_token",
        "invitation",
        "membership",
        "team",
        "user_session",
        "user_password",
        "app_user",
    ):
        op.execute(f"DROP TABLE {table}")
