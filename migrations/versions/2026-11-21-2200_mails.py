"""Invitations go by e-mail, and who forgot a password gets a link to choose another.

Adds a table and columns; older code does not see them, and knows an invitation by the link shown to its maker only.

The secrets that are mailed are drawn by the job that mails them, so that no row but their hash ever holds them. Whoever
asks for another password is nobody yet: the door writes down that they asked, and the job in one of their teams.
"""

from alembic import op

revision = "20261121_2200"
down_revision = "20261121_2150"
branch_labels = None
depends_on = None

PERSON = "nullif(current_setting('slowpath.user_id', true), '')::uuid"
TABLES = f"""
ALTER TABLE invitation
    ADD COLUMN mail_secret_hash bytea,
    ADD COLUMN mailed_at timestamptz,
    ADD COLUMN mail_problem jsonb,
    ADD CONSTRAINT uq_invitation_mail_secret_hash UNIQUE (mail_secret_hash);
GRANT SELECT (mail_secret_hash) ON invitation TO slowpath_keeper;

CREATE TABLE password_reset (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    secret_hash bytea,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_password_reset PRIMARY KEY (id),
    CONSTRAINT uq_password_reset_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_password_reset_user_id FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_password_reset_user_id ON password_reset (user_id);
ALTER TABLE password_reset ENABLE ROW LEVEL SECURITY;
ALTER TABLE password_reset FORCE ROW LEVEL SECURITY;
CREATE POLICY person ON password_reset FOR ALL TO slowpath_app USING (user_id = {PERSON}) WITH CHECK (user_id = {PERSON});
CREATE POLICY keeper ON password_reset FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON password_reset TO slowpath_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON password_reset TO slowpath_keeper;
"""

DOOR = """
CREATE FUNCTION door.ask_password_reset(sought varchar, reset uuid, asked_at timestamptz, ends_at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    person uuid;
    of_team uuid;
BEGIN
    DELETE FROM public.password_reset WHERE expires_at < asked_at - interval '1 day';
    SELECT app_user.id INTO person FROM public.app_user WHERE email_key = sought;
    SELECT membership.team_id INTO of_team
        FROM public.membership JOIN public.team ON team.id = membership.team_id
        WHERE membership.user_id = person AND team.deleted_at IS NULL
        ORDER BY membership.created_at, team.id LIMIT 1;
    IF of_team IS NOT NULL THEN
        INSERT INTO public.password_reset (id, user_id, expires_at) VALUES (reset, person, ends_at);
        INSERT INTO public.job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts,
                max_attempts, fence, progress, step)
            VALUES (of_team, gen_random_uuid(), 'accounts.mail-reset', 'notify', jsonb_build_object('reset_id', reset),
                'team', reset, 'waiting', 0, 5, 0, 0, '');
    END IF;
END
$$;

CREATE FUNCTION door.draw_password_reset(reset uuid, hash bytea, drawn_at timestamptz)
RETURNS TABLE (email varchar, name varchar)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.password_reset AS asked SET secret_hash = hash
    WHERE asked.id = reset AND asked.used_at IS NULL AND asked.expires_at > drawn_at;
    IF FOUND THEN
        RETURN QUERY
            SELECT person.email, person.name
            FROM public.password_reset AS asked JOIN public.app_user AS person ON person.id = asked.user_id
            WHERE asked.id = reset;
    END IF;
END
$$;

CREATE FUNCTION door.find_password_reset(sought bytea, at timestamptz) RETURNS TABLE (reset_id uuid, user_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT asked.id, asked.user_id FROM public.password_reset AS asked
    WHERE asked.secret_hash = sought AND asked.used_at IS NULL AND asked.expires_at > at
$$;
"""
DOORS = (
    "door.ask_password_reset(varchar, uuid, timestamptz, timestamptz)",
    "door.draw_password_reset(uuid, bytea, timestamptz)",
    "door.find_password_reset(bytea, timestamptz)",
)
HAND_OVER = """
REVOKE ALL ON FUNCTION {function} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {function} TO slowpath_cross_team;
ALTER FUNCTION {function} OWNER TO slowpath_keeper;
"""
INVITATION = """
CREATE OR REPLACE FUNCTION door.find_invitation(sought bytea)
RETURNS TABLE (
    invitation_id uuid, team_id uuid, team_slug varchar, team_name varchar,
    role varchar, email varchar, expires_at timestamptz, accepted_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.id, found.team_id, team.slug, team.name, found.role, found.email, found.expires_at, found.accepted_at
    FROM public.invitation AS found JOIN public.team ON team.id = found.team_id
    WHERE (found.secret_hash = sought {or_mailed}) AND team.deleted_at IS NULL
$$;
"""


def upgrade() -> None:
    op.execute(TABLES)
    op.execute("GRANT CREATE ON SCHEMA door TO slowpath_keeper")
    op.execute(DOOR)
    for function in DOORS:
        op.execute(HAND_OVER.format(function=function))
    _as_keeper(INVITATION.format(or_mailed="OR found.mail_secret_hash = sought"))
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")


def downgrade() -> None:
    op.execute("GRANT CREATE ON SCHEMA door TO slowpath_keeper")
    _as_keeper(INVITATION.format(or_mailed=""), *(f"DROP FUNCTION {function}" for function in DOORS))
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")
    op.execute("DROP TABLE password_reset")
    op.execute("ALTER TABLE invitation DROP COLUMN mail_secret_hash, DROP COLUMN mailed_at, DROP COLUMN mail_problem")


def _as_keeper(*commands: str) -> None:
    # Each function belongs to the keeper, and only who owns it may change or drop it.
    op.execute("SET LOCAL ROLE slowpath_keeper")
    for command in commands:
        op.execute(command)
    op.execute("RESET ROLE")
