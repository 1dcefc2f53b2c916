"""Audit events are chained by SHA-256 per team.

Code before this version can run with it: the database numbers and hashes what it writes. It ignores the columns.
"""

from alembic import op

revision = "20261128_0050"
down_revision = "20261128_0040"
branch_labels = None
depends_on = None

CREATE = """
ALTER TABLE audit_event ADD COLUMN sequence bigint;
ALTER TABLE audit_event ADD COLUMN hash bytea;
CREATE UNIQUE INDEX ix_audit_event_sequence ON audit_event (team_id, sequence);
CREATE TABLE audit_chain (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    last_sequence bigint DEFAULT 0 NOT NULL,
    last_hash bytea DEFAULT decode(repeat('00', 32), 'hex') NOT NULL,
    first_sequence bigint DEFAULT 1 NOT NULL,
    first_previous_hash bytea DEFAULT decode(repeat('00', 32), 'hex') NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_audit_chain PRIMARY KEY (team_id, id),
    CONSTRAINT uq_audit_chain_team_id UNIQUE (team_id),
    CONSTRAINT fk_audit_chain_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
ALTER TABLE audit_chain ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_chain FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON audit_chain FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
CREATE POLICY keeper ON audit_chain FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
GRANT SELECT ON audit_chain TO slowpath_app;
GRANT SELECT, INSERT, UPDATE ON audit_chain TO slowpath_keeper;
GRANT SELECT (id, sequence, hash), UPDATE (sequence, hash) ON audit_event TO slowpath_keeper;
"""
CONTENT = """
CREATE FUNCTION public.audit_event_content(entry public.audit_event)
    RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_build_object(
        'sequence', entry.sequence, 'id', entry.id, 'team_id', entry.team_id,
        'occurred_at', to_char(entry.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'actor_id', entry.actor_id, 'actor_kind', entry.actor_kind, 'actor', entry.actor_name,
        'action', entry.action, 'subject_kind', entry.subject_kind, 'subject_id', entry.subject_id,
        'details', entry.details)::text
$$;
"""
CHAIN_EVENT = """
CREATE FUNCTION cross_team.chain_audit_event()
    RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    head public.audit_chain;
BEGIN
    IF NOT EXISTS (SELECT FROM public.audit_event WHERE team_id = NEW.team_id AND id = NEW.id) THEN
        RETURN NULL;
    END IF;
    INSERT INTO public.audit_chain (team_id, id) VALUES (NEW.team_id, NEW.team_id) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT head FROM public.audit_chain WHERE team_id = NEW.team_id FOR UPDATE;
    NEW.sequence := head.last_sequence + 1;
    NEW.hash := sha256(head.last_hash || convert_to(public.audit_event_content(NEW), 'UTF8'));
    UPDATE public.audit_event SET sequence = NEW.sequence, hash = NEW.hash WHERE team_id = NEW.team_id AND id = NEW.id;
    UPDATE public.audit_chain SET last_sequence = NEW.sequence, last_hash = NEW.hash WHERE team_id = NEW.team_id;
    RETURN NULL;
END
$$;
"""
DELETE_EVENTS = """
CREATE FUNCTION cross_team.delete_audit_events(whose uuid, before timestamptz)
    RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    expired_at timestamptz := least(before, clock_timestamp() - interval '365 days');
    head public.audit_chain;
    first_recent bigint;
BEGIN
    SELECT * INTO head FROM public.audit_chain WHERE audit_chain.team_id = whose FOR UPDATE;
    SELECT coalesce(min(entry.sequence), head.last_sequence + 1) INTO first_recent
        FROM public.audit_event AS entry WHERE entry.team_id = whose AND entry.created_at >= expired_at;
    IF head.team_id IS NULL OR first_recent <= head.first_sequence THEN
        RETURN 0;
    END IF;
    UPDATE public.audit_chain
        SET first_sequence = first_recent, first_previous_hash = (
            SELECT entry.hash FROM public.audit_event AS entry
            WHERE entry.team_id = whose AND entry.sequence = first_recent - 1
        )
        WHERE audit_chain.team_id = whose;
    DELETE FROM public.audit_event AS entry WHERE entry.team_id = whose AND entry.sequence < first_recent;
    RETURN first_recent - head.first_sequence;
END
$$;
"""
LIST_TEAMS = """
CREATE FUNCTION cross_team.list_team_slugs()
    RETURNS TABLE (team_id uuid, slug varchar)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT team.id, team.slug FROM public.team WHERE team.deleted_at IS NULL ORDER BY team.slug
$$;
REVOKE ALL ON FUNCTION cross_team.list_team_slugs() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cross_team.list_team_slugs() TO slowpath_cross_team;
"""
FORMER_DELETE_EVENTS = """
CREATE FUNCTION cross_team.delete_audit_events(whose uuid, before timestamptz)
    RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.audit_event
        WHERE audit_event.team_id = whose AND audit_event.created_at < before
            AND audit_event.created_at < clock_timestamp() - interval '365 days'
        RETURNING 1
    )
    SELECT count(*) FROM gone
$$;
"""
ORDERED = ("own.user_id = sought;\n    WITH closed", "own.user_id = sought ORDER BY own.team_id;\n    WITH closed")
CHAIN_ROWS = """
DO $$
DECLARE
    entry public.audit_event;
    team uuid;
    number bigint;
    digest bytea;
BEGIN
    FOR entry IN SELECT * FROM public.audit_event ORDER BY team_id, created_at, id LOOP
        IF team IS DISTINCT FROM entry.team_id THEN
            team := entry.team_id;
            number := 0;
            digest := decode(repeat('00', 32), 'hex');
        END IF;
        number := number + 1;
        entry.sequence := number;
        digest := sha256(digest || convert_to(public.audit_event_content(entry), 'UTF8'));
        UPDATE public.audit_event SET sequence = number, hash = digest WHERE team_id = team AND id = entry.id;
        INSERT INTO public.audit_chain (team_id, id, last_sequence, last_hash) VALUES (team, team, number, digest)
            ON CONFLICT (team_id) DO UPDATE SET last_sequence = number, last_hash = digest;
    END LOOP;
END
$$;
"""
TRIGGER = """
CREATE CONSTRAINT TRIGGER chain AFTER INSERT ON audit_event DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION cross_team.chain_audit_event();
"""
DELETE_SIGNATURE = "cross_team.delete_audit_events(uuid, timestamptz)"


def upgrade() -> None:
    # One transaction: no row is written between the rows that are chained here and the trigger.
    op.execute("LOCK TABLE audit_event IN SHARE ROW EXCLUSIVE MODE")
    op.execute(CREATE)
    op.execute(CONTENT)
    _begin_functions()
    op.execute(CHAIN_EVENT)
    op.execute(LIST_TEAMS)
    op.execute("REVOKE ALL ON FUNCTION cross_team.chain_audit_event() FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION cross_team.chain_audit_event() TO slowpath_owner")
    _replace_delete(DELETE_EVENTS)
    _change_delete_user(*ORDERED)
    _end_functions()
    op.execute("ALTER TABLE audit_event NO FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE audit_chain NO FORCE ROW LEVEL SECURITY")
    op.execute(CHAIN_ROWS)
    op.execute("ALTER TABLE audit_event FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE audit_chain FORCE ROW LEVEL SECURITY")
    op.execute(TRIGGER)


def downgrade() -> None:
    op.execute("DROP TRIGGER chain ON audit_event")
    _begin_functions()
    op.execute("-- squawk-ignore ban-drop-function\nDROP FUNCTION cross_team.chain_audit_event()")
    op.execute("-- squawk-ignore ban-drop-function\nDROP FUNCTION cross_team.list_team_slugs()")
    _replace_delete(FORMER_DELETE_EVENTS)
    _change_delete_user(ORDERED[1], ORDERED[0])
    _end_functions()
    op.execute("-- squawk-ignore ban-drop-function\nDROP FUNCTION public.audit_event_content(public.audit_event)")
    op.execute("DROP TABLE audit_chain")
    op.execute("DROP INDEX ix_audit_event_sequence")
    op.execute("ALTER TABLE audit_event DROP COLUMN hash, DROP COLUMN sequence")
    op.execute("REVOKE SELECT (id) ON audit_event FROM slowpath_keeper")


def _begin_functions() -> None:
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")


def _end_functions() -> None:
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")


def _replace_delete(definition: str) -> None:
    op.execute(f"-- squawk-ignore ban-drop-function\nDROP FUNCTION {DELETE_SIGNATURE}")  # the language changes
    op.execute(definition)
    op.execute(f"REVOKE ALL ON FUNCTION {DELETE_SIGNATURE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {DELETE_SIGNATURE} TO slowpath_cross_team")


def _change_delete_user(old: str, new: str) -> None:
    """Chains are locked in the order of the events: in one order for all users."""
    op.execute(f"""
    DO $change$
    DECLARE
        definition text := pg_get_functiondef('cross_team.delete_user'::regproc);
    BEGIN
        IF strpos(definition, $old${old}$old$) = 0 THEN
            RAISE EXCEPTION 'cross_team.delete_user is not the function of the former version';
        END IF;
        EXECUTE replace(definition, $old${old}$old$, $new${new}$new$);
    END
    $change$
    """)
