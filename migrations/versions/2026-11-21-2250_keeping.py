"""What a team keeps: for how long, how much, and how it takes everything away.

Adds tables, functions, indexes and a column; older code does not see them. Files of a build now go with it: the foreign
key of an artifact to its build cascades, where before it forgot the build.
"""

from alembic import op

revision = "20261121_2250"
down_revision = "20261121_2200"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE retention_rule (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    kind varchar NOT NULL,
    days integer,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_retention_rule PRIMARY KEY (team_id, id),
    CONSTRAINT uq_retention_rule_team_id_kind UNIQUE (team_id, kind),
    CONSTRAINT ck_retention_rule_days CHECK (days > 0),
    CONSTRAINT fk_retention_rule_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE storage_count (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    folders jsonb NOT NULL,
    swept integer NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_storage_count PRIMARY KEY (team_id, id),
    CONSTRAINT fk_storage_count_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_storage_count_newest ON storage_count (team_id, created_at);

CREATE TABLE usage_day (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    day date NOT NULL,
    uploads integer NOT NULL,
    upload_bytes bigint NOT NULL,
    samples bigint NOT NULL,
    jobs integer NOT NULL,
    builds integer NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_usage_day PRIMARY KEY (team_id, id),
    CONSTRAINT uq_usage_day_team_id_day UNIQUE (team_id, day),
    CONSTRAINT fk_usage_day_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE team_export (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    blob_key varchar,
    size_bytes bigint,
    sha256 varchar,
    files integer,
    missing integer,
    expires_at timestamptz,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_team_export PRIMARY KEY (team_id, id),
    CONSTRAINT ck_team_export_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_team_export_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT fk_team_export_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_team_export_newest ON team_export (team_id, created_at, id);

CREATE INDEX ix_artifact_kind ON artifact (team_id, kind, created_at);
CREATE INDEX ix_audit_event_action ON audit_event (team_id, action, created_at);

-- squawk-ignore ban-drop-constraint
ALTER TABLE artifact DROP CONSTRAINT fk_artifact_team_id_build_id;
-- The rows that are there were held by the same constraint until now: looking at them again would only block.
ALTER TABLE artifact ADD CONSTRAINT fk_artifact_team_id_build_id FOREIGN KEY (team_id, build_id)
    REFERENCES build (team_id, id) ON DELETE CASCADE NOT VALID;
"""

TEAM_TABLES = ("retention_rule", "storage_count", "usage_day", "team_export")
TEAM = "nullif(current_setting('slowpath.team_id', true), '')::uuid"
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app USING (team_id = {team}) WITH CHECK (team_id = {team});
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""

EVENTS = """
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON team_export
    FOR EACH ROW EXECUTE FUNCTION tell_subject('team-export');
"""

# The log is only added to by the app. What is older than a team keeps it goes through the door, and never what is younger
# than a year, whatever the caller says. A person goes through the door because that concerns all their teams at once.
DOOR = """
CREATE POLICY keeper ON audit_event FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
GRANT SELECT (team_id, created_at), DELETE ON audit_event TO slowpath_keeper;
GRANT INSERT (team_id, id, actor_id, actor_kind, actor_name, action, subject_kind, subject_id, facts) ON audit_event
    TO slowpath_keeper;
GRANT UPDATE (deleted_at) ON team TO slowpath_keeper;
GRANT DELETE ON app_user TO slowpath_keeper;
GRANT CREATE ON SCHEMA door TO slowpath_keeper;

CREATE FUNCTION door.keep_house(every interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO public.job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,
            fence, progress, step)
        SELECT team.id, gen_random_uuid(), wanted.name, 'notify', jsonb_build_object('team_id', team.id), 'team', team.id,
            'waiting', 0, 5, 0, 0, ''
        FROM public.team CROSS JOIN LATERAL (
            SELECT CASE WHEN team.deleted_at IS NULL THEN 'keeping.house' ELSE 'accounts.erase_team' END AS name
        ) AS wanted
        WHERE NOT EXISTS (
            SELECT FROM public.job
            WHERE job.team_id = team.id AND job.subject_kind = 'team' AND job.subject_id = team.id
                AND job.name = wanted.name
                AND (job.state IN ('waiting', 'running') OR job.created_at > clock_timestamp() - every)
        )
$$;

CREATE FUNCTION door.forget_audit(whose uuid, before timestamptz) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.audit_event
        WHERE audit_event.team_id = whose AND audit_event.created_at < before
            AND audit_event.created_at < clock_timestamp() - interval '365 days'
        RETURNING 1
    )
    SELECT count(*) FROM gone
$$;

CREATE FUNCTION door.closed_teams_of(sought uuid)
RETURNS TABLE (team_id uuid, slug varchar, name varchar, deleted_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT team.id, team.slug, team.name, team.deleted_at
    FROM public.membership JOIN public.team ON team.id = membership.team_id
    WHERE membership.user_id = sought AND membership.role = 'owner' AND team.deleted_at IS NOT NULL
    ORDER BY team.deleted_at DESC LIMIT 100
$$;

CREATE FUNCTION door.delete_person(sought uuid)
RETURNS TABLE (team_id uuid, name varchar)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    person_name varchar;
BEGIN
    -- Two owners who leave at the same moment must not both find the other there.
    PERFORM 1 FROM public.team WHERE team.id IN (
        SELECT membership.team_id FROM public.membership WHERE membership.user_id = sought
    ) ORDER BY team.id FOR UPDATE;
    RETURN QUERY
        SELECT team.id, team.name FROM public.membership AS own JOIN public.team ON team.id = own.team_id
        WHERE own.user_id = sought AND own.role = 'owner' AND team.deleted_at IS NULL
            AND EXISTS (SELECT FROM public.membership AS other
                WHERE other.team_id = own.team_id AND other.user_id <> sought)
            AND NOT EXISTS (SELECT FROM public.membership AS other
                WHERE other.team_id = own.team_id AND other.user_id <> sought AND other.role = 'owner');
    IF FOUND THEN
        RETURN;
    END IF;
    SELECT app_user.name INTO person_name FROM public.app_user WHERE app_user.id = sought;
    INSERT INTO public.audit_event (team_id, id, actor_id, actor_kind, actor_name, action, subject_kind, subject_id, facts)
        SELECT own.team_id, gen_random_uuid(), sought, 'person', person_name, 'member.left', 'member', sought,
            jsonb_build_object('name', person_name, 'role', own.role, 'account', 'deleted')
        FROM public.membership AS own WHERE own.user_id = sought;
    WITH closed AS (
        UPDATE public.team SET deleted_at = clock_timestamp()
        WHERE team.deleted_at IS NULL AND team.id IN (
            SELECT own.team_id FROM public.membership AS own WHERE own.user_id = sought
        ) AND NOT EXISTS (
            SELECT FROM public.membership AS other WHERE other.team_id = team.id AND other.user_id <> sought
        )
        RETURNING team.id
    )
    INSERT INTO public.job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,
            fence, progress, step)
        SELECT closed.id, gen_random_uuid(), 'accounts.erase_team', 'notify', jsonb_build_object('team_id', closed.id),
            'team', closed.id, 'waiting', 0, 5, 0, 0, ''
        FROM closed;
    DELETE FROM public.app_user WHERE app_user.id = sought;
END
$$;
"""
DOORS = (
    "door.keep_house(interval)",
    "door.forget_audit(uuid, timestamptz)",
    "door.closed_teams_of(uuid)",
    "door.delete_person(uuid)",
)
HAND_OVER = """
REVOKE ALL ON FUNCTION {function} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {function} TO slowpath_cross_team;
ALTER FUNCTION {function} OWNER TO slowpath_keeper;
"""

UNDO = """
REVOKE DELETE ON app_user FROM slowpath_keeper;
REVOKE UPDATE (deleted_at) ON team FROM slowpath_keeper;
REVOKE ALL ON audit_event FROM slowpath_keeper;
DROP POLICY keeper ON audit_event;
ALTER TABLE artifact DROP CONSTRAINT fk_artifact_team_id_build_id;
ALTER TABLE artifact ADD CONSTRAINT fk_artifact_team_id_build_id FOREIGN KEY (team_id, build_id)
    REFERENCES build (team_id, id) ON DELETE SET NULL (build_id);
DROP INDEX ix_audit_event_action;
DROP INDEX ix_artifact_kind;
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in TEAM_TABLES:
        op.execute(OF_TEAM.format(table=table, team=TEAM))
    op.execute(EVENTS)
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
    op.execute(UNDO)
    for table in reversed(TEAM_TABLES):
        op.execute(f"DROP TABLE {table}")
