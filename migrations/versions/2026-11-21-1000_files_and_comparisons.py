"""Files can be uploaded, decoded and compared: jobs, the catalog, artifacts, profiles, comparisons.

Adds tables only; older code does not see them.
"""

from alembic import op

revision = "20261121_1000"
down_revision = "20261121_0900"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE job (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name varchar NOT NULL,
    queue varchar NOT NULL,
    payload jsonb NOT NULL,
    subject_kind varchar NOT NULL,
    subject_id uuid NOT NULL,
    created_by uuid,
    state varchar NOT NULL,
    attempts integer NOT NULL,
    max_attempts integer NOT NULL,
    due_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    not_before timestamptz DEFAULT clock_timestamp() NOT NULL,
    sends integer DEFAULT 0 NOT NULL,
    fence bigint NOT NULL,
    lease_until timestamptz,
    cancel_asked boolean DEFAULT false NOT NULL,
    progress double precision NOT NULL,
    step varchar NOT NULL,
    problem jsonb,
    started_at timestamptz,
    finished_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_job PRIMARY KEY (team_id, id),
    CONSTRAINT ck_job_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_job_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_job_due ON job (due_at) WHERE state in ('waiting', 'running');
CREATE INDEX ix_job_id ON job (id);
CREATE INDEX ix_job_newest ON job (team_id, created_at, id);
CREATE INDEX ix_job_subject ON job (team_id, subject_kind, subject_id);

CREATE TABLE idempotent_request (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    operation varchar NOT NULL,
    key varchar NOT NULL,
    fingerprint varchar NOT NULL,
    subject_id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_idempotent_request PRIMARY KEY (team_id, id),
    CONSTRAINT uq_idempotent_request_team_id_operation_key UNIQUE (team_id, operation, key),
    CONSTRAINT fk_idempotent_request_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE service (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    slug varchar NOT NULL,
    name varchar NOT NULL,
    description varchar NOT NULL,
    main_package varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service PRIMARY KEY (team_id, id),
    CONSTRAINT uq_service_team_id_slug UNIQUE (team_id, slug),
    CONSTRAINT fk_service_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE environment (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    slug varchar NOT NULL,
    name varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_environment PRIMARY KEY (team_id, id),
    CONSTRAINT uq_environment_team_id_slug UNIQUE (team_id, slug),
    CONSTRAINT fk_environment_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE build (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    commit varchar NOT NULL,
    go_version varchar NOT NULL,
    goos varchar NOT NULL,
    goarch varchar NOT NULL,
    flags varchar NOT NULL,
    branch varchar,
    label varchar,
    ci_url varchar,
    dependencies jsonb,
    committed_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_build PRIMARY KEY (team_id, id),
    CONSTRAINT uq_build_identity UNIQUE (team_id, service_id, commit, go_version, goos, goarch, flags),
    CONSTRAINT fk_build_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_build_newest ON build (team_id, created_at, id);

CREATE TABLE artifact (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name varchar NOT NULL,
    size_bytes bigint NOT NULL,
    sha256 varchar NOT NULL,
    batch uuid,
    build_id uuid,
    facts jsonb NOT NULL,
    state varchar NOT NULL,
    kind varchar,
    summary jsonb,
    problem jsonb,
    job_id uuid,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_artifact PRIMARY KEY (team_id, id),
    CONSTRAINT fk_artifact_team_id_build_id FOREIGN KEY (team_id, build_id)
        REFERENCES build (team_id, id) ON DELETE SET NULL (build_id),
    CONSTRAINT fk_artifact_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_artifact_state CHECK (state in ('received', 'decoding', 'decoded', 'refused', 'failed')),
    CONSTRAINT fk_artifact_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_artifact_batch ON artifact (team_id, batch);
CREATE INDEX ix_artifact_build ON artifact (team_id, build_id);
CREATE INDEX ix_artifact_newest ON artifact (team_id, created_at, id);
CREATE INDEX ix_artifact_sha256 ON artifact (team_id, sha256);

CREATE TABLE upload (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name varchar NOT NULL,
    size_bytes bigint NOT NULL,
    part_bytes integer NOT NULL,
    batch uuid,
    build_id uuid,
    facts jsonb NOT NULL,
    created_by uuid,
    expires_at timestamptz NOT NULL,
    artifact_id uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_upload PRIMARY KEY (team_id, id),
    CONSTRAINT fk_upload_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE upload_part (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    upload_id uuid NOT NULL,
    number integer NOT NULL,
    size_bytes bigint NOT NULL,
    sha256 varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_upload_part PRIMARY KEY (team_id, id),
    CONSTRAINT fk_upload_part_team_id_upload_id FOREIGN KEY (team_id, upload_id)
        REFERENCES upload (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_upload_part_team_id_upload_id_number UNIQUE (team_id, upload_id, number),
    CONSTRAINT fk_upload_part_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE profile (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    kind varchar NOT NULL,
    sample_types jsonb NOT NULL,
    default_sample_type integer NOT NULL,
    period bigint NOT NULL,
    period_type jsonb NOT NULL,
    time_ns bigint NOT NULL,
    duration_ns bigint NOT NULL,
    mappings jsonb NOT NULL,
    counts jsonb NOT NULL,
    warnings jsonb NOT NULL,
    columns_key varchar NOT NULL,
    columns_bytes bigint NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_profile PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_team_id_id FOREIGN KEY (team_id, id)
        REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_profile_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_profile_columns ON profile (team_id, columns_key);

CREATE TABLE comparison (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name varchar NOT NULL,
    base_label varchar NOT NULL,
    candidate_label varchar NOT NULL,
    state varchar NOT NULL,
    verdict varchar,
    headline varchar,
    result jsonb,
    problem jsonb,
    job_id uuid,
    created_by uuid,
    finished_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_comparison PRIMARY KEY (team_id, id),
    CONSTRAINT fk_comparison_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_comparison_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_comparison_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_comparison_newest ON comparison (team_id, created_at, id);

CREATE TABLE comparison_artifact (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    comparison_id uuid NOT NULL,
    side varchar NOT NULL,
    artifact_id uuid NOT NULL,
    position integer NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_comparison_artifact PRIMARY KEY (team_id, id),
    CONSTRAINT fk_comparison_artifact_team_id_comparison_id FOREIGN KEY (team_id, comparison_id)
        REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comparison_artifact_team_id_artifact_id FOREIGN KEY (team_id, artifact_id)
        REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_comparison_artifact_once UNIQUE (team_id, comparison_id, side, artifact_id),
    CONSTRAINT ck_comparison_artifact_side CHECK (side in ('base', 'candidate')),
    CONSTRAINT fk_comparison_artifact_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_comparison_artifact_artifact ON comparison_artifact (team_id, artifact_id);

CREATE TABLE comparison_view (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    comparison_id uuid NOT NULL,
    kind varchar NOT NULL,
    sample_type varchar NOT NULL,
    unit varchar NOT NULL,
    granularity varchar NOT NULL,
    position integer NOT NULL,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    bases jsonb,
    default_basis varchar,
    nodes integer,
    functions integer,
    all_key varchar,
    first_key varchar,
    rest_key varchar,
    functions_key varchar,
    lines_key varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_comparison_view PRIMARY KEY (team_id, id),
    CONSTRAINT fk_comparison_view_team_id_comparison_id FOREIGN KEY (team_id, comparison_id)
        REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comparison_view_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT uq_comparison_view_once UNIQUE (team_id, comparison_id, kind, sample_type, granularity),
    CONSTRAINT ck_comparison_view_state CHECK (state in ('uncut', 'waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_comparison_view_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE export (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    comparison_id uuid NOT NULL,
    format varchar NOT NULL,
    kind varchar,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    blob_key varchar,
    file_name varchar,
    media_type varchar,
    size_bytes bigint,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_export PRIMARY KEY (team_id, id),
    CONSTRAINT fk_export_team_id_comparison_id FOREIGN KEY (team_id, comparison_id)
        REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_export_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_export_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_export_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
"""

TEAM_TABLES = (
    "job",
    "idempotent_request",
    "service",
    "environment",
    "build",
    "artifact",
    "upload",
    "upload_part",
    "profile",
    "comparison",
    "comparison_artifact",
    "comparison_view",
    "export",
)
TEAM = "nullif(current_setting('slowpath.team_id', true), '')::uuid"
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app USING (team_id = {team}) WITH CHECK (team_id = {team});
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""

KEEPER = """
CREATE POLICY keeper ON job FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
GRANT SELECT ON job TO slowpath_keeper;
GRANT UPDATE (state, attempts, due_at, sends, fence, lease_until, progress, step, started_at, finished_at) ON job
    TO slowpath_keeper;
GRANT INSERT, DELETE ON job TO slowpath_keeper;
CREATE POLICY keeper ON idempotent_request FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
GRANT SELECT (created_at), DELETE ON idempotent_request TO slowpath_keeper;
CREATE POLICY keeper ON upload FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
GRANT SELECT (team_id, id, expires_at) ON upload TO slowpath_keeper;
"""

# A repeat waits twice as long as the one before it, up to 20 s: a lost message then costs seconds, and a long queue
# is not sent over and over.
DOOR = """
GRANT CREATE ON SCHEMA door TO slowpath_keeper;

CREATE FUNCTION door.due_jobs(most integer) RETURNS TABLE (job_id uuid, queue varchar)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job AS sent
    SET sends = sent.sends + 1,
        due_at = clock_timestamp() + make_interval(secs => least(20, 2.5 * 2 ^ least(sent.sends, 10)))
    FROM (
        SELECT team_id, id FROM public.job
        WHERE state IN ('waiting', 'running') AND due_at <= clock_timestamp()
        ORDER BY due_at LIMIT most FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE sent.team_id = due.team_id AND sent.id = due.id
    RETURNING sent.id, sent.queue
$$;

CREATE FUNCTION door.unsent_job(sought uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job SET sends = greatest(sends - 1, 0), due_at = clock_timestamp()
    WHERE id = sought AND state = 'waiting'
$$;

CREATE FUNCTION door.claim_job(sought uuid, lease interval)
RETURNS TABLE (
    team_id uuid, fence bigint, name varchar, payload jsonb,
    attempts integer, max_attempts integer, created_by uuid, cancel_asked boolean
)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job AS claimed
    SET state = 'running', fence = claimed.fence + 1, attempts = claimed.attempts + 1, sends = 0,
        lease_until = clock_timestamp() + lease, due_at = clock_timestamp() + lease,
        started_at = coalesce(claimed.started_at, clock_timestamp()), finished_at = NULL
    WHERE claimed.id = sought AND claimed.not_before <= clock_timestamp()
        AND (claimed.state = 'waiting' OR (claimed.state = 'running' AND claimed.lease_until < clock_timestamp()))
    RETURNING claimed.team_id, claimed.fence, claimed.name, claimed.payload,
        claimed.attempts, claimed.max_attempts, claimed.created_by, claimed.cancel_asked
$$;

CREATE FUNCTION door.beat_job(sought uuid, held bigint, lease interval, reached double precision, doing varchar)
RETURNS TABLE (cancel_asked boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job AS beating
    SET lease_until = clock_timestamp() + lease, due_at = clock_timestamp() + lease, progress = reached, step = doing
    WHERE beating.id = sought AND beating.fence = held AND beating.state = 'running'
    RETURNING beating.cancel_asked
$$;

CREATE FUNCTION door.job_load() RETURNS TABLE (queue varchar, state varchar, jobs bigint, oldest_s double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT job.queue, job.state, count(*), extract(epoch FROM clock_timestamp() - min(job.created_at))::double precision
    FROM public.job WHERE job.state IN ('waiting', 'running') GROUP BY job.queue, job.state
$$;

CREATE FUNCTION door.tidy() RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM public.idempotent_request WHERE created_at < clock_timestamp() - interval '7 days';
    INSERT INTO public.job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,
            fence, progress, step)
        SELECT team_id, gen_random_uuid(), 'uploads.expire', 'notify', jsonb_build_object('upload_id', id), 'upload', id,
            'waiting', 0, 5, 0, 0, ''
        FROM public.upload
        WHERE expires_at < clock_timestamp() AND NOT EXISTS (
            SELECT FROM public.job
            WHERE job.team_id = upload.team_id AND subject_kind = 'upload' AND subject_id = upload.id
        );
    DELETE FROM public.job
    WHERE state IN ('done', 'cancelled') AND finished_at < clock_timestamp() - interval '30 days'
$$;
"""
DOORS = (
    "door.due_jobs(integer)",
    "door.unsent_job(uuid)",
    "door.claim_job(uuid, interval)",
    "door.beat_job(uuid, bigint, interval, double precision, varchar)",
    "door.job_load()",
    "door.tidy()",
)
HAND_OVER = """
REVOKE ALL ON FUNCTION {function} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {function} TO slowpath_cross_team;
ALTER FUNCTION {function} OWNER TO slowpath_keeper;
"""

# What the pages hear of: ids and states only, never what a row says. A listener asks for the rest as itself.
EVENTS = """
CREATE FUNCTION tell_job() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', NEW.team_id, 'kind', 'job', 'id', NEW.id, 'name', NEW.name, 'state', NEW.state,
        'progress', NEW.progress, 'step', left(NEW.step, 100),
        'subject', json_build_object('kind', NEW.subject_kind, 'id', NEW.subject_id))::text);
    IF NEW.state = 'waiting' THEN
        PERFORM pg_notify('slowpath_due', '');
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state, progress, step, cancel_asked ON job
    FOR EACH ROW EXECUTE FUNCTION tell_job();

CREATE FUNCTION tell_subject() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', NEW.team_id, 'kind', TG_ARGV[0], 'id', NEW.id, 'state', NEW.state)::text);
    RETURN NULL;
END
$$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON artifact
    FOR EACH ROW EXECUTE FUNCTION tell_subject('artifact');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON comparison
    FOR EACH ROW EXECUTE FUNCTION tell_subject('comparison');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON comparison_view
    FOR EACH ROW EXECUTE FUNCTION tell_subject('view');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON export
    FOR EACH ROW EXECUTE FUNCTION tell_subject('export');
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in TEAM_TABLES:
        op.execute(OF_TEAM.format(table=table, team=TEAM))
    op.execute(KEEPER)
    op.execute(DOOR)
    for function in DOORS:
        op.execute(HAND_OVER.format(function=function))
    op.execute("REVOKE CREATE ON SCHEMA door FROM slowpath_keeper")
    op.execute(EVENTS)


def downgrade() -> None:
    # Each function belongs to the keeper, and only who owns it may drop it.
    op.execute("SET LOCAL ROLE slowpath_keeper")
    for function in reversed(DOORS):
        op.execute(f"DROP FUNCTION {function}")
    op.execute("RESET ROLE")
    for table in reversed(TEAM_TABLES):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP FUNCTION tell_subject()")
    op.execute("DROP FUNCTION tell_job()")
