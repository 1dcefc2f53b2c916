"""Runners, bisects, their probes, what was measured of them, and their history.

Adds five tables and one door function; older code does not see them.
"""

from alembic import op

revision = "20261122_0000"
down_revision = "20261121_2350"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE runner (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name varchar NOT NULL,
    slots integer NOT NULL,
    labels jsonb DEFAULT '{}' NOT NULL,
    version varchar NOT NULL,
    token_id uuid,
    seen_at timestamptz NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_runner PRIMARY KEY (team_id, id),
    CONSTRAINT uq_runner_name UNIQUE (team_id, name),
    CONSTRAINT fk_runner_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE bisect (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    number integer NOT NULL,
    title varchar NOT NULL,
    service_id uuid NOT NULL,
    repository_id uuid,
    regression_id uuid,
    comparison_id uuid,
    good_sha varchar NOT NULL,
    bad_sha varchar NOT NULL,
    state varchar NOT NULL,
    signature jsonb NOT NULL,
    settings jsonb NOT NULL,
    plan jsonb,
    opening varchar,
    approved integer NOT NULL,
    pause_reason varchar,
    outcome jsonb,
    problem jsonb,
    seen jsonb,
    created_by uuid,
    started_at timestamptz,
    finished_at timestamptz,
    revision integer NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_bisect PRIMARY KEY (team_id, id),
    CONSTRAINT uq_bisect_number UNIQUE (team_id, number),
    CONSTRAINT ck_bisect_state CHECK (state IN ('planned', 'waiting-approval', 'searching', 'paused', 'found',
        'not-in-range', 'inseparable', 'stopped', 'cancelled', 'failed')),
    CONSTRAINT fk_bisect_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_team_id_repository_id FOREIGN KEY (team_id, repository_id)
        REFERENCES repository (team_id, id) ON DELETE SET NULL (repository_id),
    CONSTRAINT fk_bisect_team_id_regression_id FOREIGN KEY (team_id, regression_id)
        REFERENCES regression (team_id, id) ON DELETE SET NULL (regression_id),
    CONSTRAINT fk_bisect_team_id_comparison_id FOREIGN KEY (team_id, comparison_id)
        REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_bisect_created_by FOREIGN KEY (created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_bisect_newest ON bisect (team_id, created_at, id);
CREATE INDEX ix_bisect_service ON bisect (team_id, service_id);
CREATE INDEX ix_bisect_repository ON bisect (team_id, repository_id);
CREATE INDEX ix_bisect_regression ON bisect (team_id, regression_id);
CREATE INDEX ix_bisect_comparison ON bisect (team_id, comparison_id);
CREATE INDEX ix_bisect_created_by ON bisect (created_by);

CREATE TABLE probe (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    bisect_id uuid NOT NULL,
    number integer NOT NULL,
    run_id uuid NOT NULL,
    callback_hash bytea NOT NULL,
    build jsonb NOT NULL,
    candidate varchar NOT NULL,
    purpose varchar NOT NULL,
    round integer NOT NULL,
    about varchar,
    state varchar NOT NULL,
    runner_id uuid,
    slot integer,
    lease_until timestamptz,
    windows_wanted integer NOT NULL,
    good integer NOT NULL,
    bad integer NOT NULL,
    reason varchar,
    asked_at timestamptz NOT NULL,
    leased_at timestamptz,
    deployed_at timestamptz,
    ready_at timestamptz,
    ended_at timestamptz,
    log_tail varchar NOT NULL,
    callback jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_probe PRIMARY KEY (team_id, id),
    CONSTRAINT uq_probe_number UNIQUE (team_id, bisect_id, number),
    CONSTRAINT uq_probe_run_id UNIQUE (team_id, run_id),
    CONSTRAINT uq_probe_callback_hash UNIQUE (callback_hash),
    CONSTRAINT ck_probe_state CHECK (state IN ('asked', 'leased', 'deploying', 'warming', 'soaking', 'collecting',
        'idle', 'closing', 'done', 'unbuildable', 'unhealthy', 'failed', 'annulled', 'lost')),
    CONSTRAINT ck_probe_purpose CHECK (purpose IN ('end', 'control', 'probe', 'verify', 'mark')),
    CONSTRAINT ck_probe_log_tail CHECK (octet_length(log_tail) <= 8192),
    CONSTRAINT fk_probe_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_probe_team_id_bisect_id FOREIGN KEY (team_id, bisect_id)
        REFERENCES bisect (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_probe_team_id_runner_id FOREIGN KEY (team_id, runner_id)
        REFERENCES runner (team_id, id) ON DELETE SET NULL (runner_id)
);
CREATE UNIQUE INDEX uq_probe_slot ON probe (team_id, runner_id, slot)
    WHERE runner_id IS NOT NULL AND ended_at IS NULL;
CREATE INDEX ix_probe_asked ON probe (team_id, asked_at) WHERE state = 'asked';
CREATE INDEX ix_probe_runner ON probe (team_id, runner_id);

CREATE TABLE probe_window (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    probe_id uuid NOT NULL,
    index integer NOT NULL,
    round integer NOT NULL,
    value double precision,
    verdict varchar,
    problem varchar,
    annulled boolean NOT NULL,
    artifact_ids jsonb NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_probe_window PRIMARY KEY (team_id, id),
    CONSTRAINT uq_probe_window_index UNIQUE (team_id, probe_id, index),
    CONSTRAINT ck_probe_window_verdict CHECK (verdict IN ('slower', 'not-slower')),
    CONSTRAINT fk_probe_window_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_probe_window_team_id_probe_id FOREIGN KEY (team_id, probe_id)
        REFERENCES probe (team_id, id) ON DELETE CASCADE
);

CREATE TABLE bisect_event (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    bisect_id uuid NOT NULL,
    at timestamptz NOT NULL,
    kind varchar NOT NULL,
    who uuid,
    facts jsonb DEFAULT '{}' NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_bisect_event PRIMARY KEY (team_id, id),
    CONSTRAINT fk_bisect_event_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_event_team_id_bisect_id FOREIGN KEY (team_id, bisect_id)
        REFERENCES bisect (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_event_who FOREIGN KEY (who) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_bisect_event_newest ON bisect_event (team_id, bisect_id, created_at, id);
CREATE INDEX ix_bisect_event_who ON bisect_event (who);
"""
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""
# Whatever was deployed calls back without a token: the secret's hash alone leads to the team.
DOOR = """
CREATE POLICY keeper ON probe FOR SELECT TO slowpath_keeper USING (true);
GRANT SELECT (team_id, id, callback_hash) ON probe TO slowpath_keeper;
CREATE FUNCTION door.find_probe(sought bytea) RETURNS TABLE (team_id uuid, probe_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.id FROM public.probe AS found JOIN public.team ON team.id = found.team_id
    WHERE found.callback_hash = sought AND team.deleted_at IS NULL
$$;
REVOKE ALL ON FUNCTION door.find_probe(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION door.find_probe(bytea) TO slowpath_cross_team;
GRANT CREATE ON SCHEMA door TO slowpath_keeper;
ALTER FUNCTION door.find_probe(bytea) OWNER TO slowpath_keeper;
REVOKE CREATE ON SCHEMA door FROM slowpath_keeper;
"""
# That a bisect is otherwise than it was; whoever listens asks for the rest as itself.
EVENTS = """
CREATE FUNCTION tell_bisect() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', NEW.team_id, 'kind', 'bisect', 'id', NEW.id, 'revision', NEW.revision)::text);
    RETURN NULL;
END
$$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF revision ON bisect FOR EACH ROW EXECUTE FUNCTION tell_bisect();
CREATE TRIGGER tell_activity AFTER INSERT ON bisect_event FOR EACH ROW EXECUTE FUNCTION tell_news('activity');
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in ("runner", "bisect", "probe", "probe_window", "bisect_event"):
        op.execute(OF_TEAM.format(table=table))
    op.execute(DOOR)
    op.execute(EVENTS)


def downgrade() -> None:
    # The function belongs to the keeper, and only who owns it may drop it.
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute("DROP FUNCTION door.find_probe(bytea)")
    op.execute("RESET ROLE")
    for table in ("bisect_event", "probe_window", "probe", "bisect", "runner"):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP FUNCTION tell_bisect()")
