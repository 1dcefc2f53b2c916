"""Signing out at the issuer, letters to people of no team, and mails of mentions that can be switched off.

Adds columns and door functions; older code does not see them, and sends no letter to who is in no team.

Whoever forgot their password and is in no team has no job that could carry the letter: it waits in the row itself, and the
relay takes it from there, one at a time, again after a minute until it is sent or too late.
"""

from alembic import op

revision = "20261122_0050"
down_revision = "20261122_0000"
branch_labels = None
depends_on = None

TABLES = """
ALTER TABLE user_session ADD COLUMN issuer_token bytea;
ALTER TABLE app_user ADD COLUMN mention_mails boolean DEFAULT true NOT NULL;
ALTER TABLE password_reset ADD COLUMN letter_due_at timestamptz;
CREATE INDEX ix_password_reset_letter ON password_reset (letter_due_at) WHERE letter_due_at IS NOT NULL;
"""

ASK = """
CREATE OR REPLACE FUNCTION door.ask_password_reset(sought varchar, reset uuid, asked_at timestamptz, ends_at timestamptz)
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
    {teamless}
    END IF;
END
$$;
"""
TEAMLESS = """ELSIF person IS NOT NULL THEN
        INSERT INTO public.password_reset (id, user_id, expires_at, letter_due_at)
            VALUES (reset, person, ends_at, asked_at);"""
LETTERS = """
CREATE FUNCTION door.take_reset_letter(at timestamptz, again_at timestamptz) RETURNS uuid
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.password_reset SET letter_due_at = again_at
    WHERE id = (
        SELECT id FROM public.password_reset
        WHERE letter_due_at <= at AND used_at IS NULL AND expires_at > at
        ORDER BY letter_due_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id
$$;

CREATE FUNCTION door.reset_letter_sent(reset uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.password_reset SET letter_due_at = NULL WHERE id = reset
$$;
"""
DOORS = ("door.take_reset_letter(timestamptz, timestamptz)", "door.reset_letter_sent(uuid)")
HAND_OVER = """
REVOKE ALL ON FUNCTION {function} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {function} TO slowpath_cross_team;
ALTER FUNCTION {function} OWNER TO slowpath_keeper;
"""


def upgrade() -> None:
    op.execute(TABLES)
    op.execute("GRANT CREATE ON SCHEMA door TO slowpath_keeper")
    op.execute(LETTERS)
    for function in DOORS:
        op.execute(HAND_OVER.format(function=function))
    _as_keeper(ASK.format(teamless=TEAMLESS))
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")


def downgrade() -> None:
    op.execute("GRANT CREATE ON SCHEMA door TO slowpath_keeper")
    _as_keeper(ASK.format(teamless=""), *(f"DROP FUNCTION {function}" for function in DOORS))
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")
    op.execute("ALTER TABLE password_reset DROP COLUMN letter_due_at")
    op.execute("ALTER TABLE app_user DROP COLUMN mention_mails")
    op.execute("ALTER TABLE user_session DROP COLUMN issuer_token")


def _as_keeper(*commands: str) -> None:
    # Each function belongs to the keeper, and only who owns it may change or drop it.
    op.execute("SET LOCAL ROLE slowpath_keeper")
    for command in commands:
        op.execute(command)
    op.execute("RESET ROLE")
