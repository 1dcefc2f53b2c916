-- The schema of version 20261128_1000, the first that this release migrates. Test data: never changed, only loaded.
CREATE TABLE app_user (
    id UUID NOT NULL, email VARCHAR NOT NULL, email_key VARCHAR NOT NULL, name VARCHAR NOT NULL, email_on_mention BOOLEAN DEFAULT true NOT NULL,
    time_zone VARCHAR, code_host_logins VARCHAR[] DEFAULT '{}' NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_app_user PRIMARY KEY (id), CONSTRAINT uq_app_user_email_key UNIQUE (email_key)
);
CREATE TABLE team (
    id UUID NOT NULL, slug VARCHAR NOT NULL, name VARCHAR NOT NULL, requires_second_factor BOOLEAN DEFAULT false NOT NULL,
    skipped_setup_steps VARCHAR[] DEFAULT '{}' NOT NULL, deleted_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, work_seconds DOUBLE PRECISION DEFAULT 0 NOT NULL,
    work_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL, CONSTRAINT pk_team PRIMARY KEY (id), CONSTRAINT uq_team_slug UNIQUE (slug)
);
CREATE TABLE job (
    team_id UUID NOT NULL, id UUID NOT NULL, name VARCHAR NOT NULL, queue VARCHAR NOT NULL, payload JSONB NOT NULL, subject_kind VARCHAR NOT NULL,
    subject_id UUID NOT NULL, created_by UUID, state VARCHAR NOT NULL, attempts INTEGER NOT NULL, max_attempts INTEGER NOT NULL,
    priority INTEGER DEFAULT 3 NOT NULL, worker VARCHAR, due_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    not_before TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, send_count INTEGER DEFAULT 0 NOT NULL, fencing_token BIGINT NOT NULL,
    lease_expires_at TIMESTAMP WITH TIME ZONE, cancel_requested BOOLEAN DEFAULT false NOT NULL, progress DOUBLE PRECISION NOT NULL,
    step VARCHAR NOT NULL, problem JSONB, started_at TIMESTAMP WITH TIME ZONE, finished_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_job PRIMARY KEY (team_id, id),
    CONSTRAINT ck_job_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_job_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_job_due ON job (due_at) WHERE state in ('waiting', 'running');
CREATE INDEX ix_job_id ON job (id);
CREATE INDEX ix_job_next ON job (team_id, priority, queue, not_before) WHERE state = 'waiting';
CREATE INDEX ix_job_to_send ON job (team_id, queue, due_at) WHERE state = 'waiting';
CREATE INDEX ix_job_finished ON job (finished_at) WHERE finished_at is not null;
CREATE INDEX ix_job_running ON job (due_at) WHERE state = 'running';
CREATE INDEX ix_job_subject ON job (team_id, subject_kind, subject_id);
CREATE INDEX ix_job_newest ON job (team_id, created_at, id);
CREATE TABLE stored_blob (
    team_id UUID NOT NULL, id UUID NOT NULL, key TEXT COLLATE "C" NOT NULL, size_bytes BIGINT NOT NULL, check_at TIMESTAMP WITH TIME ZONE,
    is_unused BOOLEAN DEFAULT false NOT NULL, recorded_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_stored_blob PRIMARY KEY (team_id, id),
    CONSTRAINT uq_stored_blob_team_id_key UNIQUE (team_id, key),
    CONSTRAINT fk_stored_blob_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_stored_blob_check ON stored_blob (team_id, check_at) WHERE check_at IS NOT NULL;
CREATE TABLE derived_storage_total (
    team_id UUID NOT NULL, id UUID NOT NULL, size_bytes BIGINT NOT NULL, listed_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_derived_storage_total PRIMARY KEY (team_id, id),
    CONSTRAINT uq_derived_storage_total_team_id UNIQUE (team_id),
    CONSTRAINT fk_derived_storage_total_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE multipart_upload (
    team_id UUID NOT NULL, id UUID NOT NULL, name VARCHAR NOT NULL, size_bytes BIGINT NOT NULL, part_bytes INTEGER NOT NULL, batch UUID,
    build_id UUID, run_metadata JSONB NOT NULL, created_by UUID, program_id UUID, expires_at TIMESTAMP WITH TIME ZONE NOT NULL, artifact_id UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_multipart_upload PRIMARY KEY (team_id, id),
    CONSTRAINT fk_multipart_upload_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE span_push (
    team_id UUID NOT NULL, id UUID NOT NULL, dialect VARCHAR NOT NULL, content BYTEA NOT NULL, size_bytes BIGINT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_span_push PRIMARY KEY (team_id, id),
    CONSTRAINT ck_span_push_dialect CHECK (dialect in ('protobuf', 'json')),
    CONSTRAINT fk_span_push_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_span_push_oldest ON span_push (team_id, created_at, id);
CREATE TABLE metric_source (
    team_id UUID NOT NULL, id UUID NOT NULL, label VARCHAR NOT NULL, url VARCHAR NOT NULL, credentials VARCHAR NOT NULL, encrypted_credentials BYTEA,
    last_import JSONB, last_check JSONB, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_source PRIMARY KEY (team_id, id), CONSTRAINT ck_metric_source_credentials CHECK (credentials in ('none', 'bearer', 'basic')),
    CONSTRAINT ck_metric_source_encrypted_credentials CHECK ((credentials = 'none') = (encrypted_credentials IS NULL)),
    CONSTRAINT fk_metric_source_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_metric_source_newest ON metric_source (team_id, created_at, id);
CREATE TABLE metric_settings (
    team_id UUID NOT NULL, id UUID NOT NULL, retention_days INTEGER DEFAULT 30 NOT NULL, next_id BIGINT DEFAULT 1 NOT NULL,
    series INTEGER DEFAULT 0 NOT NULL, series_epoch INTEGER DEFAULT 0 NOT NULL, compaction_count BIGINT DEFAULT 0 NOT NULL,
    roll_up_count BIGINT DEFAULT 0 NOT NULL, retained_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_metric_settings PRIMARY KEY (team_id, id),
    CONSTRAINT uq_metric_settings_team_id UNIQUE (team_id),
    CONSTRAINT fk_metric_settings_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE metric_wal_record (
    team_id UUID NOT NULL, id BIGINT GENERATED BY DEFAULT AS IDENTITY, first_ms BIGINT NOT NULL, last_ms BIGINT NOT NULL, samples INTEGER NOT NULL,
    content BYTEA NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_wal_record PRIMARY KEY (team_id, id),
    CONSTRAINT fk_metric_wal_record_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_metric_wal_record_created_at ON metric_wal_record (created_at);
CREATE TABLE metric_chunk (
    team_id UUID NOT NULL, id BIGINT NOT NULL, hour INTEGER NOT NULL, samples INTEGER NOT NULL, content BYTEA NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, piece BIGINT DEFAULT 1 NOT NULL,
    CONSTRAINT pk_metric_chunk PRIMARY KEY (team_id, id, hour, piece),
    CONSTRAINT fk_metric_chunk_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE ) PARTITION BY RANGE (hour
);
CREATE INDEX ix_metric_chunk_open ON metric_chunk (team_id, id, hour) WHERE piece > 0;
CREATE TABLE metric_roll_up (
    team_id UUID NOT NULL, id BIGINT NOT NULL, resolution_ms INTEGER NOT NULL, first_hour INTEGER NOT NULL, interval_ms INTEGER NOT NULL,
    samples INTEGER NOT NULL, content BYTEA NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_roll_up PRIMARY KEY (team_id, id, resolution_ms, first_hour),
    CONSTRAINT fk_metric_roll_up_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE metric_rule (
    team_id UUID NOT NULL, id UUID NOT NULL, metric VARCHAR NOT NULL, role VARCHAR NOT NULL, label_matchers JSONB NOT NULL, service VARCHAR,
    service_label VARCHAR, environment_label VARCHAR, status_label VARCHAR, seconds_per_unit DOUBLE PRECISION DEFAULT 1 NOT NULL, title VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_metric_rule PRIMARY KEY (team_id, id),
    CONSTRAINT ck_metric_rule_role CHECK (role in ('requests', 'latency', 'ignore', 'gauge')),
    CONSTRAINT fk_metric_rule_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_metric_rule_newest ON metric_rule (team_id, created_at, id);
CREATE TABLE service (
    team_id UUID NOT NULL, id UUID NOT NULL, slug VARCHAR NOT NULL, name VARCHAR NOT NULL, description VARCHAR NOT NULL, main_package VARCHAR,
    is_example BOOLEAN DEFAULT false NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service PRIMARY KEY (team_id, id), CONSTRAINT uq_service_team_id_slug UNIQUE (team_id, slug),
    CONSTRAINT fk_service_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE environment (
    team_id UUID NOT NULL, id UUID NOT NULL, slug VARCHAR NOT NULL, name VARCHAR NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_environment PRIMARY KEY (team_id, id),
    CONSTRAINT uq_environment_team_id_slug UNIQUE (team_id, slug),
    CONSTRAINT fk_environment_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE repository (
    team_id UUID NOT NULL, id UUID NOT NULL, label VARCHAR NOT NULL, kind VARCHAR NOT NULL, url VARCHAR, web_url VARCHAR, file_template VARCHAR,
    credentials VARCHAR NOT NULL, encrypted_credentials BYTEA, default_branch VARCHAR, branch_heads JSONB NOT NULL, tags JSONB DEFAULT '{}' NOT NULL,
    fetched_at TIMESTAMP WITH TIME ZONE, problem JSONB, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_repository PRIMARY KEY (team_id, id), CONSTRAINT uq_repository_team_id_url UNIQUE (team_id, url),
    CONSTRAINT ck_repository_kind CHECK (kind in ('github', 'gitlab', 'bitbucket', 'gitea', 'other', 'pushed')),
    CONSTRAINT ck_repository_url CHECK ((kind = 'pushed') = (url IS NULL)),
    CONSTRAINT ck_repository_credentials CHECK (credentials in ('none', 'bearer', 'basic')),
    CONSTRAINT ck_repository_encrypted_credentials CHECK ((credentials = 'none') = (encrypted_credentials IS NULL)),
    CONSTRAINT fk_repository_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_repository_newest ON repository (team_id, created_at, id);
CREATE TABLE retention_rule (
    team_id UUID NOT NULL, id UUID NOT NULL, kind VARCHAR NOT NULL, days INTEGER,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_retention_rule PRIMARY KEY (team_id, id),
    CONSTRAINT uq_retention_rule_team_id_kind UNIQUE (team_id, kind), CONSTRAINT ck_retention_rule_days CHECK (days > 0),
    CONSTRAINT fk_retention_rule_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE storage_snapshot (
    team_id UUID NOT NULL, id UUID NOT NULL, folders JSONB NOT NULL, deleted_blobs INTEGER NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_storage_snapshot PRIMARY KEY (team_id, id),
    CONSTRAINT fk_storage_snapshot_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_storage_snapshot_newest ON storage_snapshot (team_id, created_at);
CREATE TABLE daily_usage (
    team_id UUID NOT NULL, id UUID NOT NULL, day DATE NOT NULL, uploads INTEGER NOT NULL, upload_bytes BIGINT NOT NULL, samples BIGINT NOT NULL,
    jobs INTEGER NOT NULL, builds INTEGER NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_daily_usage PRIMARY KEY (team_id, id), CONSTRAINT uq_daily_usage_team_id_day UNIQUE (team_id, day),
    CONSTRAINT fk_daily_usage_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE user_password (
    user_id UUID NOT NULL, hash VARCHAR NOT NULL, changed_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_user_password PRIMARY KEY (user_id),
    CONSTRAINT fk_user_password_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE TABLE user_session (
    id UUID NOT NULL, user_id UUID NOT NULL, secret_hash BYTEA NOT NULL, browser VARCHAR NOT NULL, address VARCHAR NOT NULL,
    last_seen_at TIMESTAMP WITH TIME ZONE NOT NULL, expires_at TIMESTAMP WITH TIME ZONE NOT NULL, is_multi_factor BOOLEAN DEFAULT false NOT NULL,
    confirmed_at TIMESTAMP WITH TIME ZONE, encrypted_id_token BYTEA, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_user_session PRIMARY KEY (id), CONSTRAINT fk_user_session_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE,
    CONSTRAINT uq_user_session_secret_hash UNIQUE (secret_hash)
);
CREATE INDEX ix_user_session_newest ON user_session (user_id, created_at, id);
CREATE TABLE user_identity (
    id UUID NOT NULL, user_id UUID NOT NULL, issuer VARCHAR NOT NULL, subject VARCHAR NOT NULL, email VARCHAR,
    last_used_at TIMESTAMP WITH TIME ZONE NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_user_identity PRIMARY KEY (id), CONSTRAINT uq_user_identity_issuer_subject UNIQUE (issuer, subject),
    CONSTRAINT fk_user_identity_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_user_identity_user_id ON user_identity (user_id);
CREATE TABLE second_factor (
    id UUID NOT NULL, user_id UUID NOT NULL, kind VARCHAR NOT NULL, name VARCHAR NOT NULL, secret BYTEA NOT NULL, credential_id BYTEA,
    counter BIGINT NOT NULL, last_used_at TIMESTAMP WITH TIME ZONE, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_second_factor PRIMARY KEY (id), CONSTRAINT ck_second_factor_kind CHECK (kind in ('totp', 'passkey', 'recovery-code')),
    CONSTRAINT fk_second_factor_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_second_factor_user_id ON second_factor (user_id);
CREATE TABLE password_reset (
    id UUID NOT NULL, user_id UUID NOT NULL, secret_hash BYTEA, expires_at TIMESTAMP WITH TIME ZONE NOT NULL, used_at TIMESTAMP WITH TIME ZONE,
    mail_due_at TIMESTAMP WITH TIME ZONE, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_password_reset PRIMARY KEY (id),
    CONSTRAINT fk_password_reset_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE,
    CONSTRAINT uq_password_reset_secret_hash UNIQUE (secret_hash)
);
CREATE INDEX ix_password_reset_letter ON password_reset (mail_due_at) WHERE mail_due_at IS NOT NULL;
CREATE INDEX ix_password_reset_user_id ON password_reset (user_id);
CREATE TABLE membership (
    team_id UUID NOT NULL, id UUID NOT NULL, user_id UUID NOT NULL, role VARCHAR NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_membership PRIMARY KEY (team_id, id),
    CONSTRAINT uq_membership_team_id_user_id UNIQUE (team_id, user_id),
    CONSTRAINT ck_membership_role CHECK (role in ('viewer', 'member', 'admin', 'owner')),
    CONSTRAINT fk_membership_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_membership_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_membership_newest ON membership (team_id, created_at, id);
CREATE INDEX ix_membership_user_id ON membership (user_id);
CREATE TABLE invitation (
    team_id UUID NOT NULL, id UUID NOT NULL, role VARCHAR NOT NULL, email VARCHAR, secret_hash BYTEA NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL, created_by UUID, accepted_at TIMESTAMP WITH TIME ZONE, accepted_by UUID, mail_secret_hash BYTEA,
    mailed_at TIMESTAMP WITH TIME ZONE, mail_error JSONB, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_invitation PRIMARY KEY (team_id, id), CONSTRAINT ck_invitation_role CHECK (role in ('viewer', 'member', 'admin', 'owner')),
    CONSTRAINT fk_invitation_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT uq_invitation_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_invitation_created_by FOREIGN KEY(created_by) REFERENCES app_user (id) ON DELETE SET NULL,
    CONSTRAINT fk_invitation_accepted_by FOREIGN KEY(accepted_by) REFERENCES app_user (id) ON DELETE SET NULL,
    CONSTRAINT uq_invitation_mail_secret_hash UNIQUE (mail_secret_hash)
);
CREATE INDEX ix_invitation_accepted_by ON invitation (accepted_by);
CREATE INDEX ix_invitation_newest ON invitation (team_id, created_at, id);
CREATE INDEX ix_invitation_created_by ON invitation (created_by);
CREATE TABLE service_account (
    team_id UUID NOT NULL, id UUID NOT NULL, name VARCHAR NOT NULL, role VARCHAR NOT NULL, disabled_at TIMESTAMP WITH TIME ZONE, created_by UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_service_account PRIMARY KEY (team_id, id),
    CONSTRAINT uq_service_account_team_id_name UNIQUE (team_id, name), CONSTRAINT ck_service_account_role CHECK (role in ('viewer', 'member')),
    CONSTRAINT fk_service_account_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_service_account_created_by FOREIGN KEY(created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_service_account_created_by ON service_account (created_by);
CREATE INDEX ix_service_account_newest ON service_account (team_id, created_at, id);
CREATE TABLE audit_event (
    team_id UUID NOT NULL, id UUID NOT NULL, actor_id UUID, actor_kind VARCHAR NOT NULL, actor_name VARCHAR NOT NULL, action VARCHAR NOT NULL,
    subject_kind VARCHAR NOT NULL, subject_id UUID, details JSONB NOT NULL, sequence BIGINT, hash BYTEA,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_audit_event PRIMARY KEY (team_id, id),
    CONSTRAINT fk_audit_event_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX ix_audit_event_sequence ON audit_event (team_id, sequence);
CREATE INDEX ix_audit_event_newest ON audit_event (team_id, created_at, id);
CREATE INDEX ix_audit_event_action ON audit_event (team_id, action, created_at);
CREATE TABLE audit_chain (
    team_id UUID NOT NULL, id UUID NOT NULL, last_sequence BIGINT DEFAULT 0 NOT NULL,
    last_hash BYTEA DEFAULT decode(repeat('00', 32), 'hex') NOT NULL, first_sequence BIGINT DEFAULT 1 NOT NULL,
    first_previous_hash BYTEA DEFAULT decode(repeat('00', 32), 'hex') NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_audit_chain PRIMARY KEY (team_id, id),
    CONSTRAINT uq_audit_chain_team_id UNIQUE (team_id), CONSTRAINT fk_audit_chain_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE idempotent_request (
    team_id UUID NOT NULL, id UUID NOT NULL, operation VARCHAR NOT NULL, key VARCHAR NOT NULL, fingerprint VARCHAR NOT NULL, subject_id UUID NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_idempotent_request PRIMARY KEY (team_id, id),
    CONSTRAINT uq_idempotent_request_team_id_operation_key UNIQUE (team_id, operation, key),
    CONSTRAINT fk_idempotent_request_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE hidden_activity (
    team_id UUID NOT NULL, id UUID NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_hidden_activity PRIMARY KEY (team_id, id),
    CONSTRAINT fk_hidden_activity_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE inbox_triage (
    team_id UUID NOT NULL, id UUID NOT NULL, kind VARCHAR NOT NULL, subject_id UUID NOT NULL, snooze_rule VARCHAR,
    snooze_until TIMESTAMP WITH TIME ZONE, snoozed_at TIMESTAMP WITH TIME ZONE, mute_reason VARCHAR, merged_into_id UUID, assignee_id UUID,
    due_on DATE, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_inbox_triage PRIMARY KEY (team_id, id),
    CONSTRAINT uq_inbox_triage_subject UNIQUE (team_id, kind, subject_id),
    CONSTRAINT ck_inbox_triage_kind CHECK (kind in ('production-event', 'regression', 'bisect', 'channel', 'metric-source')),
    CONSTRAINT ck_inbox_triage_snooze_rule CHECK (snooze_rule in ('time', 'next-deployment', 'next-occurrence')),
    CONSTRAINT fk_inbox_triage_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_inbox_triage_merged ON inbox_triage (team_id, kind, merged_into_id);
CREATE TABLE inbox_view (
    team_id UUID NOT NULL, id UUID NOT NULL, user_id UUID NOT NULL, name VARCHAR NOT NULL, filters VARCHAR NOT NULL, is_shared BOOLEAN NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_inbox_view PRIMARY KEY (team_id, id),
    CONSTRAINT uq_inbox_view_name UNIQUE (team_id, user_id, name),
    CONSTRAINT fk_inbox_view_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_inbox_view_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_inbox_view_user_id ON inbox_view (user_id);
CREATE INDEX ix_inbox_view_newest ON inbox_view (team_id, created_at, id);
CREATE TABLE notification_channel (
    team_id UUID NOT NULL, id UUID NOT NULL, kind VARCHAR NOT NULL, label VARCHAR NOT NULL, target JSONB NOT NULL, encrypted_secret BYTEA,
    events JSONB NOT NULL, service_ids JSONB, state VARCHAR NOT NULL, failing_since TIMESTAMP WITH TIME ZONE, problem JSONB,
    sent_at TIMESTAMP WITH TIME ZONE, created_by UUID, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_notification_channel PRIMARY KEY (team_id, id),
    CONSTRAINT ck_notification_channel_kind CHECK (kind in ('slack', 'slack-app', 'email', 'webhook', 'github', 'gitlab', 'pagerduty', 'opsgenie', 'teams', 'grafana')),
    CONSTRAINT ck_notification_channel_state CHECK (state in ('on', 'off', 'disabled-after-failures')),
    CONSTRAINT fk_notification_channel_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_notification_channel_newest ON notification_channel (team_id, created_at, id);
CREATE TABLE team_event (
    team_id UUID NOT NULL, id UUID NOT NULL, number BIGINT NOT NULL, event VARCHAR NOT NULL, dedupe_key VARCHAR NOT NULL, content JSONB NOT NULL,
    is_hidden BOOLEAN DEFAULT false NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_team_event PRIMARY KEY (team_id, id), CONSTRAINT uq_team_event_number UNIQUE (team_id, number),
    CONSTRAINT uq_team_event_once UNIQUE (team_id, dedupe_key),
    CONSTRAINT fk_team_event_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_team_event_newest ON team_event (team_id, created_at, id);
CREATE TABLE report (
    team_id UUID NOT NULL, id UUID NOT NULL, number INTEGER NOT NULL, title VARCHAR NOT NULL, blocks JSONB NOT NULL, version INTEGER NOT NULL,
    published_at TIMESTAMP WITH TIME ZONE, changed_at TIMESTAMP WITH TIME ZONE NOT NULL, created_by UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_report PRIMARY KEY (team_id, id),
    CONSTRAINT uq_report_number UNIQUE (team_id, number), CONSTRAINT fk_report_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_report_created_by FOREIGN KEY(created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_report_created_by ON report (created_by);
CREATE INDEX ix_report_newest ON report (team_id, created_at, id);
CREATE TABLE share_settings (
    team_id UUID NOT NULL, id UUID NOT NULL, are_links_allowed BOOLEAN NOT NULL, embedding_origins VARCHAR[] DEFAULT '{}' NOT NULL,
    dashboard_url VARCHAR DEFAULT '' NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_share_settings PRIMARY KEY (team_id, id), CONSTRAINT uq_share_settings_team_id UNIQUE (team_id),
    CONSTRAINT fk_share_settings_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE mail_schedule (
    team_id UUID NOT NULL, id UUID NOT NULL, user_id UUID NOT NULL, frequency VARCHAR NOT NULL, digest_hour INTEGER NOT NULL,
    digest_weekday INTEGER NOT NULL, quiet_from VARCHAR, quiet_to VARCHAR, is_high_severity_immediate BOOLEAN NOT NULL, time_zone VARCHAR NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_mail_schedule PRIMARY KEY (team_id, id),
    CONSTRAINT uq_mail_schedule_user UNIQUE (team_id, user_id),
    CONSTRAINT ck_mail_schedule_frequency CHECK (frequency in ('immediate', 'daily', 'weekly')),
    CONSTRAINT fk_mail_schedule_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_mail_schedule_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_mail_schedule_user_id ON mail_schedule (user_id);
CREATE TABLE runner (
    team_id UUID NOT NULL, id UUID NOT NULL, name VARCHAR NOT NULL, slots INTEGER NOT NULL, labels JSONB DEFAULT '{}' NOT NULL,
    version VARCHAR NOT NULL, instance VARCHAR DEFAULT '' NOT NULL, host VARCHAR DEFAULT '' NOT NULL, token_id UUID,
    variants JSONB DEFAULT '[]' NOT NULL, can_compile BOOLEAN DEFAULT 'false' NOT NULL, measurement_seconds DOUBLE PRECISION,
    seen_at TIMESTAMP WITH TIME ZONE NOT NULL, left_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_runner PRIMARY KEY (team_id, id),
    CONSTRAINT uq_runner_name UNIQUE (team_id, name), CONSTRAINT fk_runner_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE compile_report (
    team_id UUID NOT NULL, id UUID NOT NULL, base_commit VARCHAR NOT NULL, candidate_commit VARCHAR NOT NULL, package VARCHAR NOT NULL,
    document JSONB NOT NULL, created_by UUID, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_compile_report PRIMARY KEY (team_id, id),
    CONSTRAINT uq_compile_report_package UNIQUE (team_id, base_commit, candidate_commit, package),
    CONSTRAINT fk_compile_report_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE multipart_upload_part (
    team_id UUID NOT NULL, id UUID NOT NULL, upload_id UUID NOT NULL, number INTEGER NOT NULL, size_bytes BIGINT NOT NULL, sha256 VARCHAR NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_multipart_upload_part PRIMARY KEY (team_id, id),
    CONSTRAINT fk_multipart_upload_part_team_id_upload_id FOREIGN KEY(team_id, upload_id) REFERENCES multipart_upload (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_multipart_upload_part_team_id_upload_id_number UNIQUE (team_id, upload_id, number),
    CONSTRAINT fk_multipart_upload_part_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE profile_set (
    team_id UUID NOT NULL, id UUID NOT NULL, digest VARCHAR NOT NULL, artifact_count INTEGER NOT NULL, state VARCHAR NOT NULL, problem JSONB,
    job_id UUID, kinds JSONB, conditions JSONB, created_by UUID, finished_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_profile_set PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_set_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT uq_profile_set_team_id_digest UNIQUE (team_id, digest),
    CONSTRAINT ck_profile_set_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_profile_set_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE federated_service (
    team_id UUID NOT NULL, id UUID NOT NULL, source_id UUID NOT NULL, service_id UUID NOT NULL, environment_id UUID NOT NULL,
    label_matchers JSONB NOT NULL, scanned_until_ms BIGINT, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_federated_service PRIMARY KEY (team_id, id),
    CONSTRAINT fk_federated_service_team_id_source_id FOREIGN KEY(team_id, source_id) REFERENCES metric_source (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_federated_service_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_federated_service_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_federated_service_place UNIQUE (team_id, environment_id, service_id),
    CONSTRAINT fk_federated_service_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_federated_service_service ON federated_service (team_id, service_id);
CREATE INDEX ix_federated_service_source ON federated_service (team_id, source_id, created_at, id);
CREATE TABLE metric_series (
    team_id UUID NOT NULL, id BIGINT NOT NULL, fingerprint BYTEA NOT NULL, name VARCHAR NOT NULL, labels JSONB NOT NULL, kind VARCHAR NOT NULL,
    unit VARCHAR DEFAULT '' NOT NULL, group_key BYTEA NOT NULL, series_group_id BIGINT NOT NULL, created_ms BIGINT, last_ms BIGINT NOT NULL,
    role VARCHAR, classification_reason VARCHAR NOT NULL, service_id UUID, environment_id UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_metric_series PRIMARY KEY (team_id, id),
    CONSTRAINT uq_metric_series_team_id_fingerprint UNIQUE (team_id, fingerprint),
    CONSTRAINT fk_metric_series_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE SET NULL (service_id),
    CONSTRAINT fk_metric_series_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE SET NULL (environment_id),
    CONSTRAINT ck_metric_series_kind CHECK (kind in ('counter', 'histogram', 'gauge-histogram', 'unknown', 'gauge')),
    CONSTRAINT fk_metric_series_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_metric_series_group_key ON metric_series (team_id, group_key);
CREATE INDEX ix_metric_series_name ON metric_series (team_id, name);
CREATE INDEX ix_metric_series_environment ON metric_series (team_id, environment_id) WHERE role IS NOT NULL;
CREATE INDEX ix_metric_series_service ON metric_series (team_id, service_id);
CREATE TABLE detection_cursor (
    team_id UUID NOT NULL, id UUID NOT NULL, environment_id UUID NOT NULL, scanned_until_ms BIGINT NOT NULL, minutes_ms BIGINT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_detection_cursor PRIMARY KEY (team_id, id),
    CONSTRAINT fk_detection_cursor_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_detection_cursor_team_id_environment_id UNIQUE (team_id, environment_id),
    CONSTRAINT fk_detection_cursor_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE build (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID NOT NULL, commit VARCHAR NOT NULL, go_version VARCHAR NOT NULL, goos VARCHAR NOT NULL,
    goarch VARCHAR NOT NULL, flags VARCHAR NOT NULL, branch VARCHAR, display_name VARCHAR, ci_url VARCHAR, dependencies JSONB,
    committed_at TIMESTAMP WITH TIME ZONE, parent VARCHAR, title VARCHAR, author VARCHAR, pull_request JSONB,
    run_metadata JSONB DEFAULT '{}' NOT NULL, program_id UUID, sender_ids UUID[] DEFAULT '{}' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_build PRIMARY KEY (team_id, id),
    CONSTRAINT uq_build_identity UNIQUE (team_id, service_id, commit, go_version, goos, goarch, flags),
    CONSTRAINT fk_build_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_build_branch ON build (team_id, service_id, branch, created_at, id);
CREATE INDEX ix_build_service ON build (team_id, service_id, created_at, id);
CREATE INDEX ix_build_newest ON build (team_id, created_at, id);
CREATE TABLE pending_commit_metadata (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID NOT NULL, commit VARCHAR NOT NULL, fields JSONB DEFAULT '{}' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_pending_commit_metadata PRIMARY KEY (team_id, id),
    CONSTRAINT uq_pending_commit_metadata UNIQUE (team_id, service_id, commit),
    CONSTRAINT fk_pending_commit_metadata_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_pending_commit_metadata_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_pending_commit_metadata_oldest ON pending_commit_metadata (team_id, service_id, created_at);
CREATE TABLE annotation (
    team_id UUID NOT NULL, id UUID NOT NULL, environment_id UUID NOT NULL, service_id UUID, started_at TIMESTAMP WITH TIME ZONE NOT NULL,
    ended_at TIMESTAMP WITH TIME ZONE, text VARCHAR NOT NULL, created_by UUID, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_annotation PRIMARY KEY (team_id, id),
    CONSTRAINT fk_annotation_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_annotation_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_annotation_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_annotation_when ON annotation (team_id, environment_id, started_at);
CREATE TABLE service_edge (
    team_id UUID NOT NULL, id UUID NOT NULL, environment_id UUID NOT NULL, caller_id UUID NOT NULL, callee_id UUID NOT NULL, calls BIGINT NOT NULL,
    requests BIGINT NOT NULL, seen_at TIMESTAMP WITH TIME ZONE NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_edge PRIMARY KEY (team_id, id),
    CONSTRAINT fk_service_edge_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_edge_team_id_caller_id FOREIGN KEY(team_id, caller_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_edge_team_id_callee_id FOREIGN KEY(team_id, callee_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_service_edge_ends UNIQUE (team_id, environment_id, caller_id, callee_id),
    CONSTRAINT fk_service_edge_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE manual_service_order (
    team_id UUID NOT NULL, id UUID NOT NULL, environment_id UUID NOT NULL, service_ids JSONB NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_manual_service_order PRIMARY KEY (team_id, id),
    CONSTRAINT fk_manual_service_order_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_manual_service_order_environment UNIQUE (team_id, environment_id),
    CONSTRAINT fk_manual_service_order_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE service_repository (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID NOT NULL, repository_id UUID NOT NULL, directory VARCHAR NOT NULL,
    main_package VARCHAR NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_repository PRIMARY KEY (team_id, id), CONSTRAINT uq_service_repository_team_id_service_id UNIQUE (team_id, service_id),
    CONSTRAINT fk_service_repository_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_repository_team_id_repository_id FOREIGN KEY(team_id, repository_id) REFERENCES repository (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_repository_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_service_repository_repository ON service_repository (team_id, repository_id);
CREATE TABLE commit (
    team_id UUID NOT NULL, id UUID NOT NULL, repository_id UUID NOT NULL, sha VARCHAR NOT NULL, parents JSONB, generation INTEGER NOT NULL,
    author_name VARCHAR NOT NULL, author_email VARCHAR NOT NULL, authored_at TIMESTAMP WITH TIME ZONE, committed_at TIMESTAMP WITH TIME ZONE,
    title VARCHAR NOT NULL, message VARCHAR NOT NULL, files JSONB, files_total INTEGER, lines_added INTEGER, lines_removed INTEGER,
    dependency_updates JSONB, pull_request_checked_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_commit PRIMARY KEY (team_id, id),
    CONSTRAINT uq_commit_sha UNIQUE (team_id, repository_id, sha),
    CONSTRAINT fk_commit_team_id_repository_id FOREIGN KEY(team_id, repository_id) REFERENCES repository (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_commit_parents ON commit USING gin (parents);
CREATE INDEX ix_commit_committed ON commit (team_id, committed_at, id);
CREATE TABLE pull_request (
    team_id UUID NOT NULL, id UUID NOT NULL, repository_id UUID NOT NULL, number BIGINT NOT NULL, url VARCHAR, head_sha VARCHAR NOT NULL,
    base_sha VARCHAR, merge_sha VARCHAR, reviewers JSONB DEFAULT '[]' NOT NULL, branch VARCHAR, base_branch VARCHAR,
    is_open BOOLEAN DEFAULT 'false' NOT NULL, changed_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_pull_request PRIMARY KEY (team_id, id),
    CONSTRAINT uq_pull_request_number UNIQUE (team_id, repository_id, number),
    CONSTRAINT fk_pull_request_team_id_repository_id FOREIGN KEY(team_id, repository_id) REFERENCES repository (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_pull_request_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_pull_request_merge ON pull_request (team_id, repository_id, merge_sha);
CREATE INDEX ix_pull_request_head ON pull_request (team_id, repository_id, head_sha);
CREATE INDEX ix_pull_request_open ON pull_request (team_id, repository_id, changed_at) WHERE is_open;
CREATE TABLE webhook (
    team_id UUID NOT NULL, id UUID NOT NULL, label VARCHAR NOT NULL, kind VARCHAR NOT NULL, encrypted_secret BYTEA NOT NULL, repository_id UUID,
    service_ids JSONB DEFAULT '[]' NOT NULL, api_url VARCHAR, encrypted_api_token BYTEA, provider_target VARCHAR, external_id VARCHAR,
    last_delivery_at TIMESTAMP WITH TIME ZONE, reconciled_at TIMESTAMP WITH TIME ZONE, missed_count INTEGER DEFAULT '0' NOT NULL, problem JSONB,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_webhook PRIMARY KEY (team_id, id),
    CONSTRAINT ck_webhook_kind CHECK (kind in ('gitlab', 'github', 'bitbucket')),
    CONSTRAINT ck_webhook_api CHECK ((api_url IS NULL) = (encrypted_api_token IS NULL)),
    CONSTRAINT fk_webhook_team_id_repository_id FOREIGN KEY(team_id, repository_id) REFERENCES repository (team_id, id) ON DELETE SET NULL (repository_id),
    CONSTRAINT fk_webhook_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_webhook_newest ON webhook (team_id, created_at, id);
CREATE INDEX ix_webhook_id ON webhook (id);
CREATE TABLE example_data (
    team_id UUID NOT NULL, id UUID NOT NULL, state VARCHAR NOT NULL, job_id UUID, problem JSONB, environment_id UUID, report_id UUID,
    repository_ids UUID[] DEFAULT '{}' NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_example_data PRIMARY KEY (team_id, id), CONSTRAINT uq_example_data_team_id UNIQUE (team_id),
    CONSTRAINT fk_example_data_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_example_data_state CHECK (state in ('adding', 'added', 'removing', 'failed')),
    CONSTRAINT fk_example_data_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE ci_trust (
    team_id UUID NOT NULL, id UUID NOT NULL, service_account_id UUID NOT NULL, provider VARCHAR NOT NULL, issuer VARCHAR NOT NULL,
    repository VARCHAR NOT NULL, branch VARCHAR, environment VARCHAR, scopes VARCHAR[] NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_ci_trust PRIMARY KEY (team_id, id),
    CONSTRAINT fk_ci_trust_team_id_service_account_id FOREIGN KEY(team_id, service_account_id) REFERENCES service_account (team_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_ci_trust_provider CHECK (provider in ('github', 'gitlab')),
    CONSTRAINT fk_ci_trust_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_ci_trust_service_account_id ON ci_trust (team_id, service_account_id);
CREATE TABLE embedded_panel (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID NOT NULL, environment_id UUID NOT NULL, panel VARCHAR NOT NULL, split_label VARCHAR,
    length_ms BIGINT NOT NULL, until_ms BIGINT, expires_at TIMESTAMP WITH TIME ZONE NOT NULL, revoked_at TIMESTAMP WITH TIME ZONE, created_by UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_embedded_panel PRIMARY KEY (team_id, id),
    CONSTRAINT fk_embedded_panel_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_embedded_panel_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_embedded_panel_panel CHECK (panel in ('requests', 'latency')),
    CONSTRAINT fk_embedded_panel_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_embedded_panel_created_by FOREIGN KEY(created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_embedded_panel_service ON embedded_panel (team_id, service_id, created_at, id);
CREATE INDEX ix_embedded_panel_created_by ON embedded_panel (created_by);
CREATE INDEX ix_embedded_panel_environment ON embedded_panel (team_id, environment_id);
CREATE TABLE inbox_read_mark (
    team_id UUID NOT NULL, id UUID NOT NULL, user_id UUID NOT NULL, kind VARCHAR NOT NULL, subject_id UUID NOT NULL, state VARCHAR NOT NULL,
    severity VARCHAR NOT NULL, occurred_at TIMESTAMP WITH TIME ZONE NOT NULL, read_at TIMESTAMP WITH TIME ZONE NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_inbox_read_mark PRIMARY KEY (team_id, id),
    CONSTRAINT uq_inbox_read_mark_subject UNIQUE (team_id, user_id, kind, subject_id),
    CONSTRAINT ck_inbox_read_mark_kind CHECK (kind in ('production-event', 'regression', 'bisect', 'channel', 'metric-source')),
    CONSTRAINT fk_inbox_read_mark_team_id_user_id FOREIGN KEY(team_id, user_id) REFERENCES membership (team_id, user_id) ON DELETE CASCADE,
    CONSTRAINT fk_inbox_read_mark_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE notification (
    team_id UUID NOT NULL, id UUID NOT NULL, channel_id UUID NOT NULL, event VARCHAR NOT NULL, dedupe_key VARCHAR NOT NULL, thread VARCHAR,
    content JSONB NOT NULL, state VARCHAR NOT NULL, failures INTEGER NOT NULL, next_attempt_at TIMESTAMP WITH TIME ZONE, problem JSONB,
    sent_at TIMESTAMP WITH TIME ZONE, receiver_message_id VARCHAR, job_id UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_notification PRIMARY KEY (team_id, id),
    CONSTRAINT fk_notification_team_id_channel_id FOREIGN KEY(team_id, channel_id) REFERENCES notification_channel (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_notification_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT uq_notification_once UNIQUE (team_id, channel_id, dedupe_key),
    CONSTRAINT ck_notification_state CHECK (state in ('waiting', 'sent', 'abandoned')),
    CONSTRAINT fk_notification_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_notification_thread ON notification (team_id, channel_id, thread);
CREATE INDEX ix_notification_newest ON notification (team_id, channel_id, created_at, id);
CREATE TABLE slack_interaction (
    team_id UUID NOT NULL, id UUID NOT NULL, channel_id UUID NOT NULL, digest VARCHAR NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_slack_interaction PRIMARY KEY (team_id, id),
    CONSTRAINT uq_slack_interaction_once UNIQUE (team_id, channel_id, digest),
    CONSTRAINT fk_slack_interaction_team_id_channel_id FOREIGN KEY(team_id, channel_id) REFERENCES notification_channel (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_slack_interaction_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_slack_interaction_newest ON slack_interaction (team_id, created_at, id);
CREATE TABLE linked_issue (
    team_id UUID NOT NULL, id UUID NOT NULL, kind VARCHAR NOT NULL, subject_id UUID NOT NULL, channel_id UUID, state VARCHAR NOT NULL, number BIGINT,
    url VARCHAR, problem JSONB, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_linked_issue PRIMARY KEY (team_id, id), CONSTRAINT uq_linked_issue_subject UNIQUE (team_id, kind, subject_id),
    CONSTRAINT fk_linked_issue_team_id_channel_id FOREIGN KEY(team_id, channel_id) REFERENCES notification_channel (team_id, id) ON DELETE SET NULL (channel_id),
    CONSTRAINT ck_linked_issue_kind CHECK (kind in ('production-event', 'regression')),
    CONSTRAINT ck_linked_issue_state CHECK (state in ('creating', 'created', 'failed')),
    CONSTRAINT fk_linked_issue_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_linked_issue_channel ON linked_issue (team_id, channel_id);
CREATE TABLE report_version (
    team_id UUID NOT NULL, id UUID NOT NULL, report_id UUID NOT NULL, version INTEGER NOT NULL, title VARCHAR NOT NULL, blocks JSONB NOT NULL,
    published_by UUID, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_report_version PRIMARY KEY (team_id, id),
    CONSTRAINT fk_report_version_team_id_report_id FOREIGN KEY(team_id, report_id) REFERENCES report (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_report_version_once UNIQUE (team_id, report_id, version),
    CONSTRAINT fk_report_version_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_report_version_published_by FOREIGN KEY(published_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_report_version_published_by ON report_version (published_by);
CREATE TABLE share_link (
    team_id UUID NOT NULL, id UUID NOT NULL, report_id UUID NOT NULL, name VARCHAR NOT NULL, secret_hash BYTEA NOT NULL, version INTEGER,
    scrub JSONB NOT NULL, expires_at TIMESTAMP WITH TIME ZONE, revoked_at TIMESTAMP WITH TIME ZONE, views INTEGER NOT NULL,
    last_viewed_at TIMESTAMP WITH TIME ZONE, created_by UUID, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_share_link PRIMARY KEY (team_id, id),
    CONSTRAINT fk_share_link_team_id_report_id FOREIGN KEY(team_id, report_id) REFERENCES report (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_share_link_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT uq_share_link_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_share_link_created_by FOREIGN KEY(created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_share_link_created_by ON share_link (created_by);
CREATE INDEX ix_share_link_newest ON share_link (team_id, report_id, created_at, id);
CREATE TABLE service_subscription (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID, user_id UUID NOT NULL,
    events JSONB DEFAULT '["bisect.finished", "production-event.closed", "production-event.opened", "regression.opened"]' NOT NULL,
    min_severity VARCHAR DEFAULT 'low' NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_subscription PRIMARY KEY (team_id, id),
    CONSTRAINT uq_service_subscription_once UNIQUE NULLS NOT DISTINCT (team_id, service_id, user_id),
    CONSTRAINT fk_service_subscription_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_service_subscription_min_severity CHECK (min_severity in ('low', 'medium', 'high')),
    CONSTRAINT fk_service_subscription_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_service_subscription_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_service_subscription_user_id ON service_subscription (user_id);
CREATE TABLE bisect_preflight (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID, repository_id UUID, good_sha VARCHAR, bad_sha VARCHAR, request JSONB NOT NULL,
    report JSONB, problem JSONB, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_bisect_preflight PRIMARY KEY (team_id, id),
    CONSTRAINT fk_bisect_preflight_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_preflight_team_id_repository_id FOREIGN KEY(team_id, repository_id) REFERENCES repository (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_preflight_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_bisect_preflight_newest ON bisect_preflight (team_id, created_at, id);
CREATE INDEX ix_bisect_preflight_service ON bisect_preflight (team_id, service_id);
CREATE INDEX ix_bisect_preflight_repository ON bisect_preflight (team_id, repository_id);
CREATE TABLE automatic_bisect (
    team_id UUID NOT NULL, id UUID NOT NULL, deployments_per_day INTEGER NOT NULL, needs_approval BOOLEAN NOT NULL, deployment_hours JSONB,
    runner_labels JSONB DEFAULT '{}' NOT NULL, service_id UUID NOT NULL, enabled BOOLEAN NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_automatic_bisect PRIMARY KEY (team_id, id),
    CONSTRAINT ck_automatic_bisect_deployments_per_day CHECK (deployments_per_day >= 1),
    CONSTRAINT fk_automatic_bisect_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_automatic_bisect_team_id_service_id UNIQUE (team_id, service_id),
    CONSTRAINT fk_automatic_bisect_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE pull_request_rules (
    team_id UUID NOT NULL, id UUID NOT NULL, runner_labels JSONB NOT NULL, base_branches JSONB NOT NULL, minutes_per_day INTEGER NOT NULL,
    minutes_per_pull_request INTEGER NOT NULL, smallest_change DOUBLE PRECISION NOT NULL, measurement_seconds DOUBLE PRECISION NOT NULL,
    warm_up_seconds DOUBLE PRECISION NOT NULL, signature JSONB, service_id UUID NOT NULL, enabled BOOLEAN NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_pull_request_rules PRIMARY KEY (team_id, id),
    CONSTRAINT ck_pull_request_rules_minutes CHECK (minutes_per_day >= 1 AND minutes_per_pull_request >= 1),
    CONSTRAINT fk_pull_request_rules_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_pull_request_rules_team_id_service_id UNIQUE (team_id, service_id),
    CONSTRAINT fk_pull_request_rules_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE budget (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID NOT NULL, environment_id UUID, route VARCHAR, signal VARCHAR NOT NULL,
    limit_seconds DOUBLE PRECISION, limit_increase DOUBLE PRECISION, created_by UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_budget PRIMARY KEY (team_id, id),
    CONSTRAINT fk_budget_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_budget_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_budget_signal CHECK (signal in ('p50', 'p90', 'p99', 'cpu')),
    CONSTRAINT ck_budget_one_limit CHECK ((limit_seconds IS NULL) <> (limit_increase IS NULL)),
    CONSTRAINT fk_budget_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_budget_environment ON budget (team_id, environment_id);
CREATE INDEX ix_budget_service ON budget (team_id, service_id, created_at, id);
CREATE TABLE comparison (
    team_id UUID NOT NULL, id UUID NOT NULL, name VARCHAR NOT NULL, base_label VARCHAR NOT NULL, candidate_label VARCHAR NOT NULL,
    origin VARCHAR DEFAULT 'manual' NOT NULL, state VARCHAR NOT NULL, verdict VARCHAR, headline VARCHAR, result JSONB,
    artifact_kinds JSONB DEFAULT '{}' NOT NULL, time_ranges JSONB DEFAULT '{}' NOT NULL, side_labels JSONB DEFAULT '{}' NOT NULL,
    sources JSONB DEFAULT '{}' NOT NULL, problem JSONB, job_id UUID, created_by UUID, assignee_id UUID, finished_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_comparison PRIMARY KEY (team_id, id),
    CONSTRAINT fk_comparison_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_comparison_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT ck_comparison_origin CHECK (origin in ('manual', 'regression', 'build')),
    CONSTRAINT fk_comparison_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_comparison_newest ON comparison (team_id, created_at, id);
CREATE INDEX ix_comparison_created_by ON comparison (team_id, created_by, created_at);
CREATE INDEX ix_comparison_listed ON comparison (team_id, created_at, id) WHERE origin <> 'build';
CREATE TABLE series_mute_rule (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID NOT NULL, kind VARCHAR NOT NULL, subject VARCHAR NOT NULL, muted BOOLEAN NOT NULL,
    created_by UUID, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_series_mute_rule PRIMARY KEY (team_id, id),
    CONSTRAINT uq_series_mute_rule_subject UNIQUE (team_id, service_id, kind, subject),
    CONSTRAINT fk_series_mute_rule_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_series_mute_rule_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE artifact (
    team_id UUID NOT NULL, id UUID NOT NULL, name VARCHAR NOT NULL, size_bytes BIGINT NOT NULL, sha256 VARCHAR NOT NULL, batch UUID, build_id UUID,
    archive_id UUID, folder VARCHAR, run_metadata JSONB NOT NULL, state VARCHAR NOT NULL, kind VARCHAR, summary JSONB, problem JSONB, job_id UUID,
    created_by UUID, program_id UUID, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_artifact PRIMARY KEY (team_id, id),
    CONSTRAINT fk_artifact_team_id_build_id FOREIGN KEY(team_id, build_id) REFERENCES build (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_artifact_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT fk_artifact_team_id_archive_id FOREIGN KEY(team_id, archive_id) REFERENCES artifact (team_id, id) ON DELETE SET NULL (archive_id),
    CONSTRAINT ck_artifact_state CHECK (state in ('received', 'decoding', 'decoded', 'invalid', 'failed')),
    CONSTRAINT fk_artifact_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_artifact_newest ON artifact (team_id, created_at, id);
CREATE INDEX ix_artifact_batch ON artifact (team_id, batch);
CREATE INDEX ix_artifact_build ON artifact (team_id, build_id);
CREATE INDEX ix_artifact_kind ON artifact (team_id, kind, created_at);
CREATE INDEX ix_artifact_sha256 ON artifact (team_id, sha256);
CREATE INDEX ix_artifact_archive ON artifact (team_id, archive_id);
CREATE TABLE profile_view (
    team_id UUID NOT NULL, id UUID NOT NULL, set_id UUID NOT NULL, kind VARCHAR NOT NULL, sample_type VARCHAR NOT NULL, unit VARCHAR NOT NULL,
    granularity VARCHAR NOT NULL, position INTEGER NOT NULL, state VARCHAR NOT NULL, problem JSONB, job_id UUID, normalizations JSONB,
    default_normalization VARCHAR, nodes INTEGER, functions INTEGER, full_blob_key VARCHAR, head_blob_key VARCHAR, tail_blob_key VARCHAR,
    functions_key VARCHAR, lines_key VARCHAR, labels JSONB NOT NULL, labels_digest VARCHAR NOT NULL, summary_key VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_profile_view PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_view_team_id_set_id FOREIGN KEY(team_id, set_id) REFERENCES profile_set (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_profile_view_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT uq_profile_view_once UNIQUE (team_id, set_id, kind, sample_type, granularity, labels_digest),
    CONSTRAINT ck_profile_view_state CHECK (state in ('not-built', 'waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_profile_view_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE profile_export (
    team_id UUID NOT NULL, id UUID NOT NULL, set_id UUID NOT NULL, format VARCHAR NOT NULL, state VARCHAR NOT NULL, problem JSONB, job_id UUID,
    blob_key VARCHAR, file_name VARCHAR, media_type VARCHAR, size_bytes BIGINT, created_by UUID, kind VARCHAR NOT NULL, sample_type VARCHAR,
    labels JSONB NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_profile_export PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_export_team_id_set_id FOREIGN KEY(team_id, set_id) REFERENCES profile_set (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_profile_export_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_profile_export_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_profile_export_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE metric_exemplar (
    team_id UUID NOT NULL, id UUID NOT NULL, series_id BIGINT NOT NULL, at_ms BIGINT NOT NULL, value DOUBLE PRECISION NOT NULL, labels JSONB NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_metric_exemplar PRIMARY KEY (team_id, id),
    CONSTRAINT uq_metric_exemplar_team_id_series_id_at_ms UNIQUE (team_id, series_id, at_ms),
    CONSTRAINT fk_metric_exemplar_team_id_series_id FOREIGN KEY(team_id, series_id) REFERENCES metric_series (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_metric_exemplar_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE deployment (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID NOT NULL, environment_id UUID NOT NULL, build_id UUID, commit VARCHAR NOT NULL,
    label VARCHAR, started_at TIMESTAMP WITH TIME ZONE NOT NULL, ended_at TIMESTAMP WITH TIME ZONE, source VARCHAR NOT NULL, external_id VARCHAR,
    url VARCHAR, commits JSONB NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_deployment PRIMARY KEY (team_id, id),
    CONSTRAINT fk_deployment_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_deployment_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_deployment_team_id_build_id FOREIGN KEY(team_id, build_id) REFERENCES build (team_id, id) ON DELETE SET NULL (build_id),
    CONSTRAINT uq_deployment_team_id_external_id UNIQUE (team_id, external_id),
    CONSTRAINT ck_deployment_source CHECK (source in ('api', 'webhook', 'seen')),
    CONSTRAINT fk_deployment_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_deployment_newest ON deployment (team_id, created_at, id);
CREATE INDEX ix_deployment_when ON deployment (team_id, environment_id, started_at);
CREATE INDEX ix_deployment_build ON deployment (team_id, build_id);
CREATE INDEX ix_deployment_service ON deployment (team_id, service_id, environment_id, started_at);
CREATE INDEX ix_deployment_started ON deployment (team_id, started_at, id);
CREATE TABLE commit_diff (
    team_id UUID NOT NULL, id UUID NOT NULL, commit_id UUID NOT NULL, content BYTEA, problem JSONB,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_commit_diff PRIMARY KEY (team_id, id),
    CONSTRAINT uq_commit_diff_team_id_commit_id UNIQUE (team_id, commit_id),
    CONSTRAINT fk_commit_diff_team_id_commit_id FOREIGN KEY(team_id, commit_id) REFERENCES commit (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_diff_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE package_closure (
    team_id UUID NOT NULL, id UUID NOT NULL, commit_id UUID NOT NULL, recipe VARCHAR NOT NULL, hash VARCHAR, packages INTEGER, problem VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_package_closure PRIMARY KEY (team_id, id),
    CONSTRAINT uq_package_closure_recipe UNIQUE (team_id, commit_id, recipe),
    CONSTRAINT ck_package_closure_hash CHECK ((hash IS NULL) = (problem IS NOT NULL)),
    CONSTRAINT fk_package_closure_team_id_commit_id FOREIGN KEY(team_id, commit_id) REFERENCES commit (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_package_closure_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE webhook_delivery (
    team_id UUID NOT NULL, id UUID NOT NULL, webhook_id UUID NOT NULL, delivery_id VARCHAR NOT NULL, sha256 VARCHAR NOT NULL, event VARCHAR NOT NULL,
    size_bytes INTEGER NOT NULL, state VARCHAR NOT NULL, outcome VARCHAR NOT NULL, content BYTEA, processed_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_webhook_delivery PRIMARY KEY (team_id, id),
    CONSTRAINT uq_webhook_delivery_id UNIQUE (team_id, webhook_id, delivery_id),
    CONSTRAINT uq_webhook_delivery_content UNIQUE (team_id, webhook_id, event, sha256),
    CONSTRAINT ck_webhook_delivery_state CHECK (state in ('waiting', 'failed', 'ignored', 'done')),
    CONSTRAINT fk_webhook_delivery_team_id_webhook_id FOREIGN KEY(team_id, webhook_id) REFERENCES webhook (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_webhook_delivery_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_webhook_delivery_newest ON webhook_delivery (team_id, webhook_id, created_at, id);
CREATE TABLE api_token (
    team_id UUID NOT NULL, id UUID NOT NULL, name VARCHAR NOT NULL, prefix VARCHAR NOT NULL, secret_hash BYTEA NOT NULL, scopes VARCHAR[] NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE, last_used_at TIMESTAMP WITH TIME ZONE, revoked_at TIMESTAMP WITH TIME ZONE, service_account_id UUID,
    ci_trust_id UUID, requests_per_minute INTEGER, uploads_per_minute INTEGER, created_by UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_api_token PRIMARY KEY (team_id, id),
    CONSTRAINT fk_api_token_team_id_service_account_id FOREIGN KEY(team_id, service_account_id) REFERENCES service_account (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_api_token_team_id_ci_trust_id FOREIGN KEY(team_id, ci_trust_id) REFERENCES ci_trust (team_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_api_token_rates CHECK (requests_per_minute > 0 AND uploads_per_minute > 0),
    CONSTRAINT fk_api_token_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT uq_api_token_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_api_token_created_by FOREIGN KEY(created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_api_token_created_by ON api_token (created_by);
CREATE INDEX ix_api_token_newest ON api_token (team_id, created_at, id);
CREATE INDEX ix_api_token_service_account_id ON api_token (team_id, service_account_id);
CREATE INDEX ix_api_token_ci_trust_id ON api_token (team_id, ci_trust_id);
CREATE TABLE subscriber_mail (
    team_id UUID NOT NULL, id UUID NOT NULL, subscription_id UUID NOT NULL, event_id UUID NOT NULL, is_held BOOLEAN NOT NULL,
    due_at TIMESTAMP WITH TIME ZONE NOT NULL, job_id UUID, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_subscriber_mail PRIMARY KEY (team_id, id),
    CONSTRAINT fk_subscriber_mail_team_id_subscription_id FOREIGN KEY(team_id, subscription_id) REFERENCES service_subscription (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_subscriber_mail_team_id_event_id FOREIGN KEY(team_id, event_id) REFERENCES team_event (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_subscriber_mail_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT uq_subscriber_mail_once UNIQUE (team_id, subscription_id, event_id),
    CONSTRAINT fk_subscriber_mail_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_subscriber_mail_job ON subscriber_mail (team_id, job_id);
CREATE INDEX ix_subscriber_mail_event ON subscriber_mail (team_id, event_id);
CREATE TABLE diff_view (
    team_id UUID NOT NULL, id UUID NOT NULL, comparison_id UUID NOT NULL, kind VARCHAR NOT NULL, sample_type VARCHAR NOT NULL, unit VARCHAR NOT NULL,
    granularity VARCHAR NOT NULL, position INTEGER NOT NULL, state VARCHAR NOT NULL, problem JSONB, job_id UUID, normalizations JSONB,
    default_normalization VARCHAR, nodes INTEGER, functions INTEGER, full_blob_key VARCHAR, head_blob_key VARCHAR, tail_blob_key VARCHAR,
    functions_key VARCHAR, lines_key VARCHAR, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_diff_view PRIMARY KEY (team_id, id),
    CONSTRAINT fk_diff_view_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_diff_view_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT uq_diff_view_once UNIQUE (team_id, comparison_id, kind, sample_type, granularity),
    CONSTRAINT ck_diff_view_state CHECK (state in ('not-built', 'waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_diff_view_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE comparison_export (
    team_id UUID NOT NULL, id UUID NOT NULL, comparison_id UUID NOT NULL, format VARCHAR NOT NULL, state VARCHAR NOT NULL, problem JSONB, job_id UUID,
    blob_key VARCHAR, file_name VARCHAR, media_type VARCHAR, size_bytes BIGINT, created_by UUID, kind VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_comparison_export PRIMARY KEY (team_id, id),
    CONSTRAINT fk_comparison_export_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comparison_export_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_comparison_export_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_comparison_export_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE build_measurement (
    team_id UUID NOT NULL, id UUID NOT NULL, build_id UUID NOT NULL, kind VARCHAR NOT NULL, artifact_hashes VARCHAR NOT NULL,
    artifacts INTEGER NOT NULL, conditions VARCHAR NOT NULL, content BYTEA NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_build_measurement PRIMARY KEY (team_id, id),
    CONSTRAINT uq_build_measurement_kind UNIQUE (team_id, build_id, kind),
    CONSTRAINT fk_build_measurement_team_id_build_id FOREIGN KEY(team_id, build_id) REFERENCES build (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_measurement_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE build_verdict (
    team_id UUID NOT NULL, id UUID NOT NULL, build_id UUID NOT NULL, service_id UUID NOT NULL, branch VARCHAR NOT NULL,
    ordered_at TIMESTAMP WITH TIME ZONE NOT NULL, state VARCHAR NOT NULL, sentence VARCHAR NOT NULL, required_evidence JSONB,
    regression_ids JSONB DEFAULT '[]' NOT NULL, evaluated_at TIMESTAMP WITH TIME ZONE, series_answer JSONB, ancestor_answer JSONB,
    exceeded_budgets JSONB DEFAULT '[]' NOT NULL, stack_check JSONB, comparison_id UUID, compared_build_id UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_build_verdict PRIMARY KEY (team_id, id),
    CONSTRAINT uq_build_verdict_team_id_build_id UNIQUE (team_id, build_id),
    CONSTRAINT fk_build_verdict_team_id_build_id FOREIGN KEY(team_id, build_id) REFERENCES build (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_verdict_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_verdict_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_build_verdict_team_id_compared_build_id FOREIGN KEY(team_id, compared_build_id) REFERENCES build (team_id, id) ON DELETE SET NULL (compared_build_id),
    CONSTRAINT ck_build_verdict_state CHECK (state in ('pending', 'evaluating', 'passed', 'changed', 'inconclusive', 'skipped')),
    CONSTRAINT fk_build_verdict_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_build_verdict_comparison ON build_verdict (team_id, comparison_id);
CREATE INDEX ix_build_verdict_line ON build_verdict (team_id, service_id, branch, ordered_at);
CREATE INDEX ix_build_verdict_compared ON build_verdict (team_id, compared_build_id);
CREATE TABLE regression (
    team_id UUID NOT NULL, id UUID NOT NULL, number INTEGER, service_id UUID NOT NULL, branch VARCHAR NOT NULL, state VARCHAR NOT NULL,
    confirmed BOOLEAN NOT NULL, title VARCHAR NOT NULL, sentence VARCHAR NOT NULL, kind VARCHAR NOT NULL, subject VARCHAR NOT NULL,
    unit VARCHAR NOT NULL, direction VARCHAR NOT NULL, before DOUBLE PRECISION, after DOUBLE PRECISION, ratio DOUBLE PRECISION,
    ratio_low DOUBLE PRECISION, ratio_high DOUBLE PRECISION, since_build_id UUID, since_commit VARCHAR, since_at TIMESTAMP WITH TIME ZONE,
    good_build_id UUID, good_commit VARCHAR, first_commit VARCHAR, last_commit VARCHAR, fixed_build_id UUID, fixed_commit VARCHAR, assignee_id UUID,
    due_on DATE, related_series JSONB DEFAULT '[]' NOT NULL, sparkline JSONB, required_evidence JSONB, comparison_id UUID, created_by UUID,
    closed_at TIMESTAMP WITH TIME ZONE, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_regression PRIMARY KEY (team_id, id), CONSTRAINT uq_regression_team_id_number UNIQUE (team_id, number),
    CONSTRAINT fk_regression_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_team_id_since_build_id FOREIGN KEY(team_id, since_build_id) REFERENCES build (team_id, id) ON DELETE SET NULL (since_build_id),
    CONSTRAINT fk_regression_team_id_good_build_id FOREIGN KEY(team_id, good_build_id) REFERENCES build (team_id, id) ON DELETE SET NULL (good_build_id),
    CONSTRAINT fk_regression_team_id_fixed_build_id FOREIGN KEY(team_id, fixed_build_id) REFERENCES build (team_id, id) ON DELETE SET NULL (fixed_build_id),
    CONSTRAINT fk_regression_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT ck_regression_state CHECK (state in ('new', 'investigating', 'acknowledged', 'fixed', 'improved', 'not-a-regression', 'ignored')),
    CONSTRAINT ck_regression_direction CHECK (direction in ('worse', 'better')),
    CONSTRAINT ck_regression_numbered CHECK (confirmed = (number IS NOT NULL)),
    CONSTRAINT fk_regression_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_regression_newest ON regression (team_id, created_at, id);
CREATE INDEX ix_regression_line ON regression (team_id, service_id, branch);
CREATE INDEX ix_regression_fixed ON regression (team_id, fixed_build_id);
CREATE INDEX ix_regression_since ON regression (team_id, since_build_id);
CREATE INDEX ix_regression_good ON regression (team_id, good_build_id);
CREATE INDEX ix_regression_comparison ON regression (team_id, comparison_id);
CREATE TABLE benchmark_output (
    team_id UUID NOT NULL, id UUID NOT NULL, results INTEGER NOT NULL, benchmarks INTEGER NOT NULL, units JSONB NOT NULL, warnings JSONB NOT NULL,
    columns_key VARCHAR NOT NULL, columns_bytes BIGINT NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_benchmark_output PRIMARY KEY (team_id, id),
    CONSTRAINT fk_benchmark_output_team_id_id FOREIGN KEY(team_id, id) REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_benchmark_output_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_benchmark_output_columns ON benchmark_output (team_id, columns_key);
CREATE TABLE execution_trace (
    team_id UUID NOT NULL, id UUID NOT NULL, header_version VARCHAR NOT NULL, duration_ns BIGINT NOT NULL, wall_start_ns BIGINT,
    events BIGINT NOT NULL, gomaxprocs INTEGER NOT NULL, recording VARCHAR NOT NULL, unreadable_range JSONB, warnings JSONB NOT NULL,
    columns_key VARCHAR NOT NULL, columns_bytes BIGINT NOT NULL, page_key VARCHAR NOT NULL, tiles_key VARCHAR, tiles JSONB NOT NULL, cpu_key VARCHAR,
    delays_key VARCHAR, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_execution_trace PRIMARY KEY (team_id, id),
    CONSTRAINT fk_execution_trace_team_id_id FOREIGN KEY(team_id, id) REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_execution_trace_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_execution_trace_columns ON execution_trace (team_id, columns_key);
CREATE TABLE executable (
    team_id UUID NOT NULL, id UUID NOT NULL, build_id VARCHAR NOT NULL, arch VARCHAR NOT NULL, functions INTEGER NOT NULL, inlined INTEGER NOT NULL,
    calls INTEGER NOT NULL, damaged INTEGER NOT NULL, columns_key VARCHAR NOT NULL, columns_bytes BIGINT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_executable PRIMARY KEY (team_id, id),
    CONSTRAINT fk_executable_team_id_id FOREIGN KEY(team_id, id) REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_executable_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_executable_columns ON executable (team_id, columns_key);
CREATE INDEX ix_executable_build_id ON executable (team_id, build_id);
CREATE TABLE growth_log (
    team_id UUID NOT NULL, id UUID NOT NULL, dialect VARCHAR NOT NULL, rate BIGINT NOT NULL, sampled BIGINT NOT NULL, total BIGINT,
    duration_ns BIGINT, columns_key VARCHAR NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_growth_log PRIMARY KEY (team_id, id),
    CONSTRAINT fk_growth_log_team_id_id FOREIGN KEY(team_id, id) REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_growth_log_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE profile (
    team_id UUID NOT NULL, id UUID NOT NULL, kind VARCHAR NOT NULL, sample_types JSONB NOT NULL, default_sample_type INTEGER NOT NULL,
    period BIGINT NOT NULL, period_type JSONB NOT NULL, time_ns BIGINT NOT NULL, duration_ns BIGINT NOT NULL, mappings JSONB NOT NULL,
    counts JSONB NOT NULL, warnings JSONB NOT NULL, columns_key VARCHAR NOT NULL, columns_bytes BIGINT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_profile PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_team_id_id FOREIGN KEY(team_id, id) REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_profile_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_profile_mappings ON profile USING gin (mappings jsonb_path_ops);
CREATE INDEX ix_profile_columns ON profile (team_id, columns_key);
CREATE TABLE profile_set_artifact (
    team_id UUID NOT NULL, id UUID NOT NULL, set_id UUID NOT NULL, artifact_id UUID NOT NULL, position INTEGER NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_profile_set_artifact PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_set_artifact_team_id_set_id FOREIGN KEY(team_id, set_id) REFERENCES profile_set (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_profile_set_artifact_team_id_artifact_id FOREIGN KEY(team_id, artifact_id) REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_profile_set_artifact_team_id_set_id_artifact_id UNIQUE (team_id, set_id, artifact_id),
    CONSTRAINT fk_profile_set_artifact_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_profile_set_artifact_artifact ON profile_set_artifact (team_id, artifact_id);
CREATE TABLE span_set (
    team_id UUID NOT NULL, id UUID NOT NULL, dialect VARCHAR NOT NULL, spans BIGINT NOT NULL, traces BIGINT NOT NULL, environment_id UUID,
    began_at TIMESTAMP WITH TIME ZONE NOT NULL, ended_at TIMESTAMP WITH TIME ZONE NOT NULL, columns_key VARCHAR NOT NULL,
    columns_bytes BIGINT NOT NULL, page_key VARCHAR NOT NULL, critical_key VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_span_set PRIMARY KEY (team_id, id),
    CONSTRAINT fk_span_set_team_id_id FOREIGN KEY(team_id, id) REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_span_set_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE SET NULL (environment_id),
    CONSTRAINT fk_span_set_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_span_set_columns ON span_set (team_id, columns_key);
CREATE INDEX ix_span_set_when ON span_set (team_id, environment_id, ended_at);
CREATE TABLE metric_change_point (
    team_id UUID NOT NULL, id UUID NOT NULL, environment_id UUID NOT NULL, service_id UUID NOT NULL, signal VARCHAR NOT NULL,
    gauge VARCHAR DEFAULT '' NOT NULL, at_ms BIGINT NOT NULL, earliest_ms BIGINT NOT NULL, latest_ms BIGINT NOT NULL, detected_ms BIGINT NOT NULL,
    before DOUBLE PRECISION NOT NULL, after DOUBLE PRECISION NOT NULL, ratio DOUBLE PRECISION NOT NULL, ratio_low DOUBLE PRECISION NOT NULL,
    ratio_high DOUBLE PRECISION NOT NULL, cause VARCHAR NOT NULL, deployment_id UUID, upstream_cause_service_id UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_metric_change_point PRIMARY KEY (team_id, id),
    CONSTRAINT fk_metric_change_point_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_metric_change_point_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_metric_change_point_team_id_deployment_id FOREIGN KEY(team_id, deployment_id) REFERENCES deployment (team_id, id) ON DELETE SET NULL (deployment_id),
    CONSTRAINT fk_metric_change_point_team_id_upstream_cause_service_id FOREIGN KEY(team_id, upstream_cause_service_id) REFERENCES service (team_id, id) ON DELETE SET NULL (upstream_cause_service_id),
    CONSTRAINT ck_metric_change_point_signal CHECK (signal in ('p50', 'p90', 'p99', 'mean', 'qps', 'gauge')),
    CONSTRAINT ck_metric_change_point_gauge CHECK ((signal = 'gauge') = (gauge <> '')),
    CONSTRAINT ck_metric_change_point_cause CHECK (cause in ('deployment', 'load', 'dependency', 'unexplained')),
    CONSTRAINT uq_metric_change_point_place UNIQUE (team_id, environment_id, service_id, signal, gauge, at_ms),
    CONSTRAINT fk_metric_change_point_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_metric_change_point_when ON metric_change_point (team_id, environment_id, at_ms);
CREATE TABLE deployment_evaluation (
    team_id UUID NOT NULL, id UUID NOT NULL, deployment_id UUID NOT NULL, service_id UUID NOT NULL, minutes INTEGER NOT NULL,
    verdict VARCHAR NOT NULL, basis VARCHAR NOT NULL, is_same_build BOOLEAN NOT NULL, log_ratio DOUBLE PRECISION, statement JSONB NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_deployment_evaluation PRIMARY KEY (team_id, id),
    CONSTRAINT fk_deployment_evaluation_team_id_deployment_id FOREIGN KEY(team_id, deployment_id) REFERENCES deployment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_deployment_evaluation_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_deployment_evaluation_verdict CHECK (verdict in ('slower', 'not-slower', 'inconclusive')),
    CONSTRAINT ck_deployment_evaluation_basis CHECK (basis in ('concurrent', 'before-after')),
    CONSTRAINT uq_deployment_evaluation_look UNIQUE (team_id, deployment_id, minutes),
    CONSTRAINT fk_deployment_evaluation_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_deployment_evaluation_service ON deployment_evaluation (team_id, service_id, is_same_build, basis);
CREATE TABLE bisect (
    team_id UUID NOT NULL, id UUID NOT NULL, number INTEGER NOT NULL, title VARCHAR NOT NULL, service_id UUID NOT NULL, repository_id UUID,
    regression_id UUID, comparison_id UUID, good_sha VARCHAR NOT NULL, bad_sha VARCHAR NOT NULL, state VARCHAR NOT NULL, signature JSONB NOT NULL,
    settings JSONB NOT NULL, plan JSONB, experiment_of UUID, experiment JSONB, expanding_candidate VARCHAR,
    is_automatic BOOLEAN DEFAULT 'false' NOT NULL, commit_comparison JSONB, approved_through_round INTEGER NOT NULL, pause_reason VARCHAR,
    expires_at TIMESTAMP WITH TIME ZONE, outcome JSONB, compile_report JSONB, problem JSONB, summary JSONB, created_by UUID,
    started_at TIMESTAMP WITH TIME ZONE, finished_at TIMESTAMP WITH TIME ZONE, revision INTEGER NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_bisect PRIMARY KEY (team_id, id),
    CONSTRAINT uq_bisect_number UNIQUE (team_id, number),
    CONSTRAINT ck_bisect_state CHECK (state in ('planned', 'waiting-approval', 'searching', 'paused', 'found', 'not-in-range', 'not-separable', 'stopped', 'cancelled', 'failed')),
    CONSTRAINT fk_bisect_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_team_id_repository_id FOREIGN KEY(team_id, repository_id) REFERENCES repository (team_id, id) ON DELETE SET NULL (repository_id),
    CONSTRAINT fk_bisect_team_id_regression_id FOREIGN KEY(team_id, regression_id) REFERENCES regression (team_id, id) ON DELETE SET NULL (regression_id),
    CONSTRAINT fk_bisect_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_bisect_team_id_experiment_of FOREIGN KEY(team_id, experiment_of) REFERENCES bisect (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_created_by FOREIGN KEY(created_by) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_bisect_regression ON bisect (team_id, regression_id);
CREATE INDEX ix_bisect_created_by ON bisect (created_by);
CREATE INDEX ix_bisect_experiment_of ON bisect (team_id, experiment_of);
CREATE INDEX ix_bisect_repository ON bisect (team_id, repository_id);
CREATE INDEX ix_bisect_newest ON bisect (team_id, created_at, id);
CREATE INDEX ix_bisect_service ON bisect (team_id, service_id);
CREATE INDEX ix_bisect_comparison ON bisect (team_id, comparison_id);
CREATE TABLE budget_evaluation (
    team_id UUID NOT NULL, id UUID NOT NULL, budget_id UUID NOT NULL, environment_id UUID, build_id UUID, deployment_id UUID, state VARCHAR NOT NULL,
    is_announced BOOLEAN NOT NULL, sentence VARCHAR NOT NULL, value DOUBLE PRECISION, low DOUBLE PRECISION, high DOUBLE PRECISION,
    requests_per_second DOUBLE PRECISION, evaluated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_budget_evaluation PRIMARY KEY (team_id, id),
    CONSTRAINT uq_budget_evaluation_place UNIQUE NULLS NOT DISTINCT (team_id, budget_id, environment_id),
    CONSTRAINT fk_budget_evaluation_team_id_budget_id FOREIGN KEY(team_id, budget_id) REFERENCES budget (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_budget_evaluation_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_budget_evaluation_team_id_build_id FOREIGN KEY(team_id, build_id) REFERENCES build (team_id, id) ON DELETE SET NULL (build_id),
    CONSTRAINT fk_budget_evaluation_team_id_deployment_id FOREIGN KEY(team_id, deployment_id) REFERENCES deployment (team_id, id) ON DELETE SET NULL (deployment_id),
    CONSTRAINT ck_budget_evaluation_state CHECK (state in ('exceeded', 'within', 'inconclusive')),
    CONSTRAINT fk_budget_evaluation_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_budget_evaluation_environment ON budget_evaluation (team_id, environment_id);
CREATE INDEX ix_budget_evaluation_deployment ON budget_evaluation (team_id, deployment_id);
CREATE INDEX ix_budget_evaluation_build ON budget_evaluation (team_id, build_id);
CREATE TABLE comparison_artifact (
    team_id UUID NOT NULL, id UUID NOT NULL, comparison_id UUID NOT NULL, side VARCHAR NOT NULL, artifact_id UUID NOT NULL, position INTEGER NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_comparison_artifact PRIMARY KEY (team_id, id),
    CONSTRAINT fk_comparison_artifact_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comparison_artifact_team_id_artifact_id FOREIGN KEY(team_id, artifact_id) REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_comparison_artifact_once UNIQUE (team_id, comparison_id, side, artifact_id),
    CONSTRAINT ck_comparison_artifact_side CHECK (side in ('base', 'candidate')),
    CONSTRAINT fk_comparison_artifact_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_comparison_artifact_artifact ON comparison_artifact (team_id, artifact_id);
CREATE TABLE production_event (
    team_id UUID NOT NULL, id UUID NOT NULL, number INTEGER, environment_id UUID NOT NULL, service_id UUID NOT NULL, state VARCHAR NOT NULL,
    kind VARCHAR DEFAULT 'latency' NOT NULL, signal VARCHAR NOT NULL, gauge VARCHAR DEFAULT '' NOT NULL, title VARCHAR NOT NULL,
    sentence VARCHAR NOT NULL, cause VARCHAR NOT NULL, deployment_id UUID, commit VARCHAR, former_commit VARCHAR, before DOUBLE PRECISION NOT NULL,
    after DOUBLE PRECISION NOT NULL, ratio DOUBLE PRECISION NOT NULL, ratio_low DOUBLE PRECISION NOT NULL, ratio_high DOUBLE PRECISION NOT NULL,
    requests_per_second DOUBLE PRECISION, added_seconds_per_second DOUBLE PRECISION, severity VARCHAR NOT NULL, sparkline JSONB,
    started_at TIMESTAMP WITH TIME ZONE NOT NULL, earliest_at TIMESTAMP WITH TIME ZONE NOT NULL, detected_at TIMESTAMP WITH TIME ZONE NOT NULL,
    announced_at TIMESTAMP WITH TIME ZONE, occurred_at TIMESTAMP WITH TIME ZONE NOT NULL, checked_at TIMESTAMP WITH TIME ZONE, assignee_id UUID,
    due_on DATE, comparison_id UUID, fixed_commit VARCHAR, fixed_build_id UUID, fixed_deployment_id UUID, closed_at TIMESTAMP WITH TIME ZONE,
    closed_reason VARCHAR, proof JSONB, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_production_event PRIMARY KEY (team_id, id), CONSTRAINT uq_production_event_team_id_number UNIQUE (team_id, number),
    CONSTRAINT fk_production_event_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_team_id_environment_id FOREIGN KEY(team_id, environment_id) REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_team_id_deployment_id FOREIGN KEY(team_id, deployment_id) REFERENCES deployment (team_id, id) ON DELETE SET NULL (deployment_id),
    CONSTRAINT fk_production_event_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_production_event_team_id_fixed_build_id FOREIGN KEY(team_id, fixed_build_id) REFERENCES build (team_id, id) ON DELETE SET NULL (fixed_build_id),
    CONSTRAINT fk_production_event_team_id_fixed_deployment_id FOREIGN KEY(team_id, fixed_deployment_id) REFERENCES deployment (team_id, id) ON DELETE SET NULL (fixed_deployment_id),
    CONSTRAINT ck_production_event_state CHECK (state in ('new', 'investigating', 'acknowledged', 'closed', 'not-a-regression', 'ignored', 'withdrawn')),
    CONSTRAINT ck_production_event_signal CHECK (signal in ('p50', 'p90', 'p99', 'mean', 'qps', 'gauge')),
    CONSTRAINT ck_production_event_kind CHECK (kind in ('latency', 'slow-deployment', 'load', 'gauge')),
    CONSTRAINT ck_production_event_severity CHECK (severity in ('high', 'medium', 'low')),
    CONSTRAINT ck_production_event_cause CHECK (cause in ('deployment', 'unexplained', 'budget', 'load')),
    CONSTRAINT ck_production_event_closed_reason CHECK (closed_reason in ('recovered', 'rolled-back', 'fixed', 'budget-removed', 'settled', 'joined')),
    CONSTRAINT fk_production_event_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_production_event_deployment ON production_event (team_id, deployment_id);
CREATE INDEX ix_production_event_newest ON production_event (team_id, started_at, id);
CREATE INDEX ix_production_event_comparison ON production_event (team_id, comparison_id);
CREATE INDEX ix_production_event_open ON production_event (team_id, environment_id) WHERE state in ('new', 'investigating', 'acknowledged');
CREATE INDEX ix_production_event_fixed_deployment ON production_event (team_id, fixed_deployment_id);
CREATE INDEX ix_production_event_fixed_build ON production_event (team_id, fixed_build_id);
CREATE INDEX ix_production_event_closed ON production_event (team_id, closed_at, id);
CREATE INDEX ix_production_event_service ON production_event (team_id, service_id, started_at);
CREATE TABLE build_change_point (
    team_id UUID NOT NULL, id UUID NOT NULL, service_id UUID NOT NULL, branch VARCHAR NOT NULL, kind VARCHAR NOT NULL, subject VARCHAR NOT NULL,
    build_id UUID NOT NULL, good_build_id UUID, confirmed BOOLEAN NOT NULL, cause VARCHAR NOT NULL, before DOUBLE PRECISION NOT NULL,
    after DOUBLE PRECISION NOT NULL, ratio DOUBLE PRECISION, ratio_low DOUBLE PRECISION, ratio_high DOUBLE PRECISION, score DOUBLE PRECISION NOT NULL,
    regression_id UUID, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_build_change_point PRIMARY KEY (team_id, id),
    CONSTRAINT uq_build_change_point_place UNIQUE (team_id, service_id, branch, kind, subject, build_id),
    CONSTRAINT fk_build_change_point_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_change_point_team_id_build_id FOREIGN KEY(team_id, build_id) REFERENCES build (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_change_point_team_id_good_build_id FOREIGN KEY(team_id, good_build_id) REFERENCES build (team_id, id) ON DELETE SET NULL (good_build_id),
    CONSTRAINT fk_build_change_point_team_id_regression_id FOREIGN KEY(team_id, regression_id) REFERENCES regression (team_id, id) ON DELETE SET NULL (regression_id),
    CONSTRAINT fk_build_change_point_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_build_change_point_regression ON build_change_point (team_id, regression_id);
CREATE INDEX ix_build_change_point_good ON build_change_point (team_id, good_build_id);
CREATE INDEX ix_build_change_point_build ON build_change_point (team_id, build_id);
CREATE TABLE regression_event (
    team_id UUID NOT NULL, id UUID NOT NULL, regression_id UUID NOT NULL, kind VARCHAR NOT NULL, user_id UUID, details JSONB DEFAULT '{}' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_regression_event PRIMARY KEY (team_id, id),
    CONSTRAINT fk_regression_event_team_id_regression_id FOREIGN KEY(team_id, regression_id) REFERENCES regression (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_event_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_regression_event_newest ON regression_event (team_id, regression_id, created_at, id);
CREATE TABLE regression_evidence (
    team_id UUID NOT NULL, id UUID NOT NULL, regression_id UUID NOT NULL, kind VARCHAR NOT NULL, comparison_id UUID, build_id UUID,
    details JSONB DEFAULT '{}' NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_regression_evidence PRIMARY KEY (team_id, id),
    CONSTRAINT ck_regression_evidence_kind CHECK (kind in ('comparison', 'fix-verification')),
    CONSTRAINT fk_regression_evidence_team_id_regression_id FOREIGN KEY(team_id, regression_id) REFERENCES regression (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_evidence_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_regression_evidence_team_id_build_id FOREIGN KEY(team_id, build_id) REFERENCES build (team_id, id) ON DELETE SET NULL (build_id),
    CONSTRAINT fk_regression_evidence_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_regression_evidence_regression ON regression_evidence (team_id, regression_id);
CREATE INDEX ix_regression_evidence_comparison ON regression_evidence (team_id, comparison_id);
CREATE INDEX ix_regression_evidence_build ON regression_evidence (team_id, build_id);
CREATE TABLE trace_excerpt (
    team_id UUID NOT NULL, id UUID NOT NULL, artifact_id UUID NOT NULL, from_ns BIGINT NOT NULL, to_ns BIGINT NOT NULL, state VARCHAR NOT NULL,
    problem JSONB, job_id UUID, blob_key VARCHAR, size_bytes BIGINT, file_name VARCHAR, created_by UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_trace_excerpt PRIMARY KEY (team_id, id),
    CONSTRAINT fk_trace_excerpt_team_id_artifact_id FOREIGN KEY(team_id, artifact_id) REFERENCES execution_trace (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_trace_excerpt_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_trace_excerpt_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_trace_excerpt_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_trace_excerpt_artifact ON trace_excerpt (team_id, artifact_id);
CREATE TABLE discussion (
    team_id UUID NOT NULL, id UUID NOT NULL, subject_kind VARCHAR NOT NULL, subject_id UUID NOT NULL, part VARCHAR NOT NULL, title VARCHAR NOT NULL,
    path VARCHAR NOT NULL, service_id UUID, comparison_id UUID, regression_id UUID, production_event_id UUID, build_id UUID, artifact_id UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_discussion PRIMARY KEY (team_id, id),
    CONSTRAINT ck_discussion_subject_kind CHECK (subject_kind in ('finding', 'comparison', 'build', 'report', 'trace', 'span-set', 'production-event', 'regression')),
    CONSTRAINT uq_discussion_subject UNIQUE (team_id, subject_kind, subject_id, part),
    CONSTRAINT fk_discussion_team_id_service_id FOREIGN KEY(team_id, service_id) REFERENCES service (team_id, id) ON DELETE SET NULL (service_id),
    CONSTRAINT fk_discussion_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_regression_id FOREIGN KEY(team_id, regression_id) REFERENCES regression (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_production_event_id FOREIGN KEY(team_id, production_event_id) REFERENCES production_event (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_build_id FOREIGN KEY(team_id, build_id) REFERENCES build (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_artifact_id FOREIGN KEY(team_id, artifact_id) REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_discussion_artifact ON discussion (team_id, artifact_id);
CREATE INDEX ix_discussion_regression ON discussion (team_id, regression_id);
CREATE INDEX ix_discussion_service ON discussion (team_id, service_id);
CREATE INDEX ix_discussion_build ON discussion (team_id, build_id);
CREATE INDEX ix_discussion_comparison ON discussion (team_id, comparison_id);
CREATE INDEX ix_discussion_production_event ON discussion (team_id, production_event_id);
CREATE TABLE probe (
    team_id UUID NOT NULL, id UUID NOT NULL, bisect_id UUID NOT NULL, number INTEGER NOT NULL, run_id UUID NOT NULL, callback_hash BYTEA NOT NULL,
    build JSONB NOT NULL, candidate VARCHAR NOT NULL, purpose VARCHAR NOT NULL, round INTEGER NOT NULL, verified_candidate VARCHAR,
    state VARCHAR NOT NULL, runner_id UUID, slot INTEGER, lease_expires_at TIMESTAMP WITH TIME ZONE, measurements_requested INTEGER NOT NULL,
    good_verdicts INTEGER NOT NULL, bad_verdicts INTEGER NOT NULL, reason VARCHAR, queued_at TIMESTAMP WITH TIME ZONE NOT NULL,
    leased_at TIMESTAMP WITH TIME ZONE, deployed_at TIMESTAMP WITH TIME ZONE, ready_at TIMESTAMP WITH TIME ZONE, ended_at TIMESTAMP WITH TIME ZONE,
    log_tail VARCHAR NOT NULL, callback JSONB, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_probe PRIMARY KEY (team_id, id), CONSTRAINT uq_probe_number UNIQUE (team_id, bisect_id, number),
    CONSTRAINT uq_probe_run_id UNIQUE (team_id, run_id), CONSTRAINT uq_probe_callback_hash UNIQUE (callback_hash),
    CONSTRAINT ck_probe_state CHECK (state in ('queued', 'leased', 'deploying', 'warming', 'soaking', 'collecting', 'idle', 'stopping', 'done', 'unbuildable', 'unhealthy', 'failed', 'invalidated', 'lost')),
    CONSTRAINT ck_probe_purpose CHECK (purpose in ('boundary', 'control', 'probe', 'verify', 'override', 'baseline', 'variant', 'compile')),
    CONSTRAINT ck_probe_log_tail CHECK (octet_length(log_tail) <= 8192),
    CONSTRAINT fk_probe_team_id_bisect_id FOREIGN KEY(team_id, bisect_id) REFERENCES bisect (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_probe_team_id_runner_id FOREIGN KEY(team_id, runner_id) REFERENCES runner (team_id, id) ON DELETE SET NULL (runner_id),
    CONSTRAINT fk_probe_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_probe_slot ON probe (team_id, runner_id, slot) WHERE runner_id IS NOT NULL AND ended_at IS NULL;
CREATE INDEX ix_probe_queued ON probe (team_id, queued_at) WHERE state = 'queued';
CREATE INDEX ix_probe_runner ON probe (team_id, runner_id);
CREATE TABLE bisect_event (
    team_id UUID NOT NULL, id UUID NOT NULL, bisect_id UUID NOT NULL, occurred_at TIMESTAMP WITH TIME ZONE NOT NULL, kind VARCHAR NOT NULL,
    actor UUID, details JSONB DEFAULT '{}' NOT NULL, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_bisect_event PRIMARY KEY (team_id, id),
    CONSTRAINT fk_bisect_event_team_id_bisect_id FOREIGN KEY(team_id, bisect_id) REFERENCES bisect (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_event_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_event_actor FOREIGN KEY(actor) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_bisect_event_actor ON bisect_event (actor);
CREATE INDEX ix_bisect_event_newest ON bisect_event (team_id, bisect_id, created_at, id);
CREATE TABLE assembly (
    team_id UUID NOT NULL, id UUID NOT NULL, executable_id UUID NOT NULL, base_executable_id UUID, comparison_id UUID, function VARCHAR NOT NULL,
    state VARCHAR NOT NULL, problem JSONB, job_id UUID, document JSONB, created_by UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_assembly PRIMARY KEY (team_id, id),
    CONSTRAINT uq_assembly_function UNIQUE NULLS NOT DISTINCT (team_id, executable_id, base_executable_id, comparison_id, function),
    CONSTRAINT fk_assembly_team_id_executable_id FOREIGN KEY(team_id, executable_id) REFERENCES executable (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_assembly_team_id_base_executable_id FOREIGN KEY(team_id, base_executable_id) REFERENCES executable (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_assembly_team_id_comparison_id FOREIGN KEY(team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_assembly_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_assembly_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_assembly_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE gap_explanation (
    team_id UUID NOT NULL, id UUID NOT NULL, artifact_id UUID NOT NULL, trace_id VARCHAR NOT NULL, span_number INTEGER NOT NULL,
    gap_number INTEGER NOT NULL, state VARCHAR NOT NULL, problem JSONB, job_id UUID, document JSONB, created_by UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_gap_explanation PRIMARY KEY (team_id, id),
    CONSTRAINT uq_gap_explanation_gap UNIQUE (team_id, artifact_id, trace_id, span_number, gap_number),
    CONSTRAINT fk_gap_explanation_team_id_artifact_id FOREIGN KEY(team_id, artifact_id) REFERENCES span_set (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_gap_explanation_team_id_job_id FOREIGN KEY(team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_gap_explanation_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_gap_explanation_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE production_event_change_point (
    team_id UUID NOT NULL, id UUID NOT NULL, event_id UUID NOT NULL, change_point_id UUID NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_production_event_change_point PRIMARY KEY (team_id, id),
    CONSTRAINT uq_production_event_change_point_once UNIQUE (team_id, change_point_id),
    CONSTRAINT fk_production_event_change_point_team_id_event_id FOREIGN KEY(team_id, event_id) REFERENCES production_event (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_change_point_team_id_change_point_id FOREIGN KEY(team_id, change_point_id) REFERENCES metric_change_point (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_change_point_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_production_event_change_point_event ON production_event_change_point (team_id, event_id);
CREATE TABLE production_event_budget (
    team_id UUID NOT NULL, id UUID NOT NULL, event_id UUID NOT NULL, budget_id UUID, state VARCHAR NOT NULL, sentence VARCHAR NOT NULL,
    limit_increase DOUBLE PRECISION, created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_production_event_budget PRIMARY KEY (team_id, id), CONSTRAINT uq_production_event_budget_once UNIQUE (team_id, event_id, budget_id),
    CONSTRAINT fk_production_event_budget_team_id_event_id FOREIGN KEY(team_id, event_id) REFERENCES production_event (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_budget_team_id_budget_id FOREIGN KEY(team_id, budget_id) REFERENCES budget (team_id, id) ON DELETE SET NULL (budget_id),
    CONSTRAINT ck_production_event_budget_state CHECK (state in ('exceeded', 'within', 'inconclusive')),
    CONSTRAINT fk_production_event_budget_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_production_event_budget_budget ON production_event_budget (team_id, budget_id);
CREATE TABLE production_event_history (
    team_id UUID NOT NULL, id UUID NOT NULL, event_id UUID NOT NULL, kind VARCHAR NOT NULL, user_id UUID, details JSONB DEFAULT '{}' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_production_event_history PRIMARY KEY (team_id, id),
    CONSTRAINT fk_production_event_history_team_id_event_id FOREIGN KEY(team_id, event_id) REFERENCES production_event (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_history_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_production_event_history_newest ON production_event_history (team_id, event_id, created_at, id);
CREATE TABLE comment (
    team_id UUID NOT NULL, id UUID NOT NULL, discussion_id UUID NOT NULL, parent_id UUID, author_kind VARCHAR NOT NULL, author_id UUID,
    author_name VARCHAR NOT NULL, text VARCHAR NOT NULL, edited_at TIMESTAMP WITH TIME ZONE, deleted_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_comment PRIMARY KEY (team_id, id),
    CONSTRAINT ck_comment_author_kind CHECK (author_kind in ('token', 'user')),
    CONSTRAINT fk_comment_team_id_discussion_id FOREIGN KEY(team_id, discussion_id) REFERENCES discussion (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comment_team_id_parent_id FOREIGN KEY(team_id, parent_id) REFERENCES comment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comment_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_comment_author_id FOREIGN KEY(author_id) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_comment_discussion ON comment (team_id, discussion_id, created_at, id);
CREATE INDEX ix_comment_newest ON comment (team_id, created_at, id);
CREATE INDEX ix_comment_author_id ON comment (author_id);
CREATE INDEX ix_comment_parent ON comment (team_id, parent_id);
CREATE TABLE probe_measurement (
    team_id UUID NOT NULL, id UUID NOT NULL, probe_id UUID NOT NULL, index INTEGER NOT NULL, round INTEGER NOT NULL, value DOUBLE PRECISION,
    measures JSONB, verdict VARCHAR, problem VARCHAR, invalidated BOOLEAN NOT NULL, artifact_ids JSONB NOT NULL, requests BIGINT,
    started_at TIMESTAMP WITH TIME ZONE NOT NULL, ended_at TIMESTAMP WITH TIME ZONE NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_probe_measurement PRIMARY KEY (team_id, id),
    CONSTRAINT uq_probe_measurement_index UNIQUE (team_id, probe_id, index),
    CONSTRAINT ck_probe_measurement_verdict CHECK (verdict in ('slower', 'not-slower')),
    CONSTRAINT fk_probe_measurement_team_id_probe_id FOREIGN KEY(team_id, probe_id) REFERENCES probe (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_probe_measurement_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE mention (
    team_id UUID NOT NULL, id UUID NOT NULL, discussion_id UUID NOT NULL, comment_id UUID NOT NULL, user_id UUID NOT NULL,
    read_at TIMESTAMP WITH TIME ZONE, mail_begun_at TIMESTAMP WITH TIME ZONE, mailed_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL, CONSTRAINT pk_mention PRIMARY KEY (team_id, id),
    CONSTRAINT uq_mention_once UNIQUE (team_id, comment_id, user_id),
    CONSTRAINT fk_mention_team_id_discussion_id FOREIGN KEY(team_id, discussion_id) REFERENCES discussion (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_mention_team_id_comment_id FOREIGN KEY(team_id, comment_id) REFERENCES comment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_mention_team_id FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_mention_user_id FOREIGN KEY(user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_mention_user_id ON mention (user_id);
CREATE INDEX ix_mention_discussion ON mention (team_id, discussion_id);
CREATE INDEX ix_mention_newest ON mention (team_id, user_id, created_at, id);

CREATE EXTENSION IF NOT EXISTS pg_trgm;  -- compares the words of a search

-- Partitions of the metric samples: one per month, and one for all other hours.

CREATE SCHEMA metric_parts;
ALTER TABLE metric_chunk ALTER COLUMN content SET STORAGE EXTERNAL;  -- compressed by the application
ALTER TABLE metric_wal_record ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE metric_roll_up ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TABLE metric_parts.chunk_other PARTITION OF metric_chunk DEFAULT;
DO $$
DECLARE
    month timestamp;
BEGIN
    FOR month IN SELECT generate_series(timestamp '2026-01-01', timestamp '2030-12-01', '1 month') LOOP
        EXECUTE format(
            'CREATE TABLE metric_parts.%I PARTITION OF metric_chunk FOR VALUES FROM (%s) TO (%s)',
            to_char(month, '"chunk_"YYYY_MM'), (extract(epoch FROM month) / 3600)::integer,
            (extract(epoch FROM month + interval '1 month') / 3600)::integer);
    END LOOP;
END $$;

-- Row-level security: on every table; a row with a team is visible to that team only.

DO $$
DECLARE
    name regclass;
    own_team CONSTANT text := 'nullif(current_setting(''slowpath.team_id'', true), '''')::uuid';
    own_user CONSTANT text := 'nullif(current_setting(''slowpath.user_id'', true), '''')::uuid';
    owning_column text;
    owner_setting text;
BEGIN
    FOR name IN
        SELECT oid FROM pg_class
        WHERE relkind IN ('r', 'p') AND relname <> 'alembic_version'
            AND relnamespace IN ('public'::regnamespace, 'metric_parts'::regnamespace)
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        CONTINUE WHEN starts_with(name::text, 'metric_parts.');  -- reached through metric_chunk only
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO slowpath_app', name);
        owner_setting := own_team;
        IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = name AND attname = 'team_id') THEN
            owning_column := 'team_id';
        ELSIF name = 'team'::regclass THEN
            owning_column := 'id';
        ELSE
            owner_setting := own_user;
            owning_column := CASE name WHEN 'app_user'::regclass THEN 'id' ELSE 'user_id' END;
        END IF;
        EXECUTE format(
            'CREATE POLICY %I ON %s FOR ALL TO slowpath_app USING (%I = %s) WITH CHECK (%3$I = %4$s)',
            CASE owner_setting WHEN own_team THEN 'team' ELSE 'person' END, name, owning_column, owner_setting);
    END LOOP;
END $$;
CREATE POLICY colleague ON app_user FOR SELECT TO slowpath_app USING (EXISTS (
    SELECT FROM membership
    WHERE membership.user_id = app_user.id
        AND membership.team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid
));
REVOKE UPDATE, DELETE ON audit_event FROM slowpath_app;
REVOKE INSERT, UPDATE, DELETE ON audit_chain FROM slowpath_app;

-- What the functions of the schema cross_team may read and write, of every team.

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'api_token', 'app_user', 'audit_chain', 'audit_event', 'idempotent_request', 'invitation', 'job', 'membership',
        'multipart_upload', 'password_reset', 'team', 'user_identity', 'user_password', 'user_session'
    ] LOOP
        EXECUTE format('CREATE POLICY keeper ON %I FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true)', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY[
        'ci_trust', 'federated_service', 'metric_settings', 'probe', 'service_account', 'share_link', 'share_settings', 'webhook'
    ] LOOP
        EXECUTE format('CREATE POLICY keeper ON %I FOR SELECT TO slowpath_keeper USING (true)', name);
    END LOOP;
END $$;
GRANT SELECT (id, email, email_key, name), DELETE ON app_user TO slowpath_keeper;
GRANT SELECT (user_id, hash) ON user_password TO slowpath_keeper;
GRANT SELECT (id, user_id, issuer, subject), UPDATE (email, last_used_at) ON user_identity TO slowpath_keeper;
GRANT SELECT (id, user_id, secret_hash, last_seen_at, expires_at, created_at, is_multi_factor),
    UPDATE (last_seen_at, expires_at) ON user_session TO slowpath_keeper;
GRANT SELECT, INSERT, UPDATE, DELETE ON password_reset TO slowpath_keeper;
GRANT SELECT (id, slug, name, deleted_at, work_seconds, work_at, requires_second_factor),
    UPDATE (deleted_at, work_seconds, work_at) ON team TO slowpath_keeper;
GRANT SELECT (team_id, user_id, role, created_at) ON membership TO slowpath_keeper;
GRANT SELECT (team_id, id, role, email, secret_hash, mail_secret_hash, expires_at, accepted_at) ON invitation
    TO slowpath_keeper;
GRANT SELECT (team_id, id, role, disabled_at) ON service_account TO slowpath_keeper;
GRANT SELECT (team_id, id, service_account_id, provider, issuer, repository, branch, environment, scopes) ON ci_trust
    TO slowpath_keeper;
GRANT SELECT (
    team_id, id, secret_hash, scopes, expires_at, last_used_at, revoked_at, service_account_id, requests_per_minute,
    uploads_per_minute
), UPDATE (last_used_at) ON api_token TO slowpath_keeper;
GRANT SELECT (team_id, id, created_at, sequence, hash), UPDATE (sequence, hash), DELETE,
    INSERT (team_id, id, actor_id, actor_kind, actor_name, action, subject_kind, subject_id, details) ON audit_event
    TO slowpath_keeper;
GRANT SELECT, INSERT, UPDATE ON audit_chain TO slowpath_keeper;
GRANT SELECT, INSERT, DELETE, UPDATE (
    state, attempts, due_at, send_count, fencing_token, lease_expires_at, progress, step, started_at, finished_at,
    worker
) ON job TO slowpath_keeper;
GRANT SELECT (created_at), DELETE ON idempotent_request TO slowpath_keeper;
GRANT SELECT (team_id, id, expires_at) ON multipart_upload TO slowpath_keeper;
GRANT SELECT (team_id, id, kind, encrypted_secret) ON webhook TO slowpath_keeper;
GRANT SELECT (team_id, id, callback_hash) ON probe TO slowpath_keeper;
GRANT SELECT (team_id, id, report_id, secret_hash, expires_at, revoked_at) ON share_link TO slowpath_keeper;
GRANT SELECT (team_id, are_links_allowed) ON share_settings TO slowpath_keeper;
GRANT SELECT (retention_days) ON metric_settings TO slowpath_keeper;
GRANT SELECT (team_id) ON federated_service TO slowpath_keeper;

CREATE SCHEMA cross_team;
GRANT USAGE ON SCHEMA cross_team TO slowpath_cross_team, slowpath_keeper;

-- Functions: accounts.

CREATE FUNCTION cross_team.find_user(sought varchar)
    RETURNS TABLE (user_id uuid, email varchar, name varchar, password_hash varchar)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT person.id, person.email, person.name, kept.hash
    FROM public.app_user AS person LEFT JOIN public.user_password AS kept ON kept.user_id = person.id
    WHERE person.email_key = sought
$$;

CREATE FUNCTION cross_team.find_identity(
    its_issuer varchar, its_subject varchar, told_email varchar, seen_at timestamptz
)
    RETURNS TABLE (user_id uuid, email varchar, name varchar)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.user_identity AS touched SET last_used_at = seen_at, email = told_email
    WHERE touched.issuer = its_issuer AND touched.subject = its_subject;
    RETURN QUERY
        SELECT person.id, person.email, person.name
        FROM public.user_identity AS found JOIN public.app_user AS person ON person.id = found.user_id
        WHERE found.issuer = its_issuer AND found.subject = its_subject;
END
$$;

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

CREATE FUNCTION cross_team.find_token_with_account(sought bytea, seen_at timestamptz, touch_before timestamptz)
    RETURNS TABLE (token_id uuid, team_id uuid, scopes varchar[], expires_at timestamptz, revoked_at timestamptz,
        requests_per_minute integer, uploads_per_minute integer, account_id uuid, account_role varchar,
        account_disabled_at timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

CREATE FUNCTION cross_team.find_invitation(sought bytea)
    RETURNS TABLE (invitation_id uuid, team_id uuid, team_slug varchar, team_name varchar, role varchar, email varchar,
        expires_at timestamptz, accepted_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.id, found.team_id, team.slug, team.name, found.role, found.email, found.expires_at, found.accepted_at
    FROM public.invitation AS found JOIN public.team ON team.id = found.team_id
    WHERE (found.secret_hash = sought OR found.mail_secret_hash = sought) AND team.deleted_at IS NULL
$$;

CREATE FUNCTION cross_team.find_team(sought varchar)
    RETURNS TABLE (team_id uuid) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT team.id FROM public.team WHERE team.slug = sought AND team.deleted_at IS NULL
$$;

CREATE FUNCTION cross_team.list_user_ids()
    RETURNS TABLE (user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT app_user.id FROM public.app_user ORDER BY app_user.id
$$;

CREATE FUNCTION cross_team.list_team_slugs()
    RETURNS TABLE (team_id uuid, slug varchar)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT team.id, team.slug FROM public.team WHERE team.deleted_at IS NULL ORDER BY team.slug
$$;

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

CREATE FUNCTION cross_team.list_teams(sought uuid)
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

CREATE FUNCTION cross_team.list_deleted_teams(sought uuid)
    RETURNS TABLE (team_id uuid, slug varchar, name varchar, deleted_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT team.id, team.slug, team.name, team.deleted_at
    FROM public.membership JOIN public.team ON team.id = membership.team_id
    WHERE membership.user_id = sought AND membership.role = 'owner' AND team.deleted_at IS NOT NULL
    ORDER BY team.deleted_at DESC LIMIT 100
$$;

CREATE FUNCTION cross_team.create_password_reset(
    sought varchar, reset uuid, asked_at timestamptz, ends_at timestamptz
)
    RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
                max_attempts, fencing_token, progress, step)
            VALUES (of_team, gen_random_uuid(), 'accounts.mail-password-reset', 'notify',
                jsonb_build_object('reset_id', reset), 'team', reset, 'waiting', 0, 5, 0, 0, '');
    ELSIF person IS NOT NULL THEN
        INSERT INTO public.password_reset (id, user_id, expires_at, mail_due_at)
            VALUES (reset, person, ends_at, asked_at);
    END IF;
END
$$;

CREATE FUNCTION cross_team.issue_password_reset(reset uuid, hash bytea, drawn_at timestamptz)
    RETURNS TABLE (email varchar, name varchar)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

CREATE FUNCTION cross_team.find_password_reset(sought bytea, at timestamptz)
    RETURNS TABLE (reset_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT asked.id, asked.user_id FROM public.password_reset AS asked
    WHERE asked.secret_hash = sought AND asked.used_at IS NULL AND asked.expires_at > at
$$;

CREATE FUNCTION cross_team.claim_reset_mail(at timestamptz, again_at timestamptz)
    RETURNS uuid LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.password_reset SET mail_due_at = again_at
    WHERE id = (
        SELECT id FROM public.password_reset
        WHERE mail_due_at <= at AND used_at IS NULL AND expires_at > at
        ORDER BY mail_due_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id
$$;

CREATE FUNCTION cross_team.record_reset_mail(reset uuid)
    RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.password_reset SET mail_due_at = NULL WHERE id = reset
$$;

-- Returns the teams that would have no owner; if there are any, nothing is deleted.
CREATE FUNCTION cross_team.delete_user(sought uuid)
    RETURNS TABLE (team_id uuid, name varchar)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    person_name varchar;
BEGIN
    -- Locked, so that of two owners who leave at once only one finds the other.
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
    INSERT INTO public.audit_event (
            team_id, id, actor_id, actor_kind, actor_name, action, subject_kind, subject_id, details)
        SELECT own.team_id, gen_random_uuid(), sought, 'user', person_name, 'member.left', 'member', sought,
            jsonb_build_object('name', person_name, 'role', own.role, 'account', 'deleted')
        FROM public.membership AS own WHERE own.user_id = sought ORDER BY own.team_id;
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
            fencing_token, progress, step)
        SELECT closed.id, gen_random_uuid(), 'accounts.erase-team', 'notify', jsonb_build_object('team_id', closed.id),
            'team', closed.id, 'waiting', 0, 5, 0, 0, ''
        FROM closed;
    DELETE FROM public.app_user WHERE app_user.id = sought;
END
$$;

-- What the hash of an entry covers. Stored hashes depend on every character of it.
CREATE FUNCTION public.audit_event_content(entry public.audit_event)
    RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_build_object(
        'sequence', entry.sequence, 'id', entry.id, 'team_id', entry.team_id,
        'occurred_at', to_char(entry.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'actor_id', entry.actor_id, 'actor_kind', entry.actor_kind, 'actor', entry.actor_name,
        'action', entry.action, 'subject_kind', entry.subject_kind, 'subject_id', entry.subject_id,
        'details', entry.details)::text
$$;

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

-- Runs when the transaction commits: the lock on the chain of its team is the last one that it takes, so writers of one
-- team commit in the order of their entries, and wait for no other team.
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

-- Functions: jobs.

CREATE FUNCTION cross_team.claim_job(sought uuid, lease interval)
    RETURNS TABLE (team_id uuid, fencing_token bigint, name varchar, payload jsonb, attempts integer,
        max_attempts integer, created_by uuid, cancel_requested boolean)
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job AS claimed
    SET state = 'running', fencing_token = claimed.fencing_token + 1, attempts = claimed.attempts + 1, send_count = 0,
        lease_expires_at = clock_timestamp() + lease, due_at = clock_timestamp() + lease,
        started_at = coalesce(claimed.started_at, clock_timestamp()), finished_at = NULL
    WHERE claimed.id = sought AND claimed.not_before <= clock_timestamp()
        AND (claimed.state = 'waiting' OR (claimed.state = 'running' AND claimed.lease_expires_at < clock_timestamp()))
    RETURNING claimed.team_id, claimed.fencing_token, claimed.name, claimed.payload,
        claimed.attempts, claimed.max_attempts, claimed.created_by, claimed.cancel_requested
$$;

-- `slots` is the number of jobs that a worker runs at a time as a rule; it has some processes more, which only teams use
-- that run nothing on this worker: several teams with long jobs do not delay another one.
-- Claims of one worker run one after another. Without `queues` it claims jobs of every queue.
CREATE FUNCTION cross_team.claim_next_job(nudged uuid, by_worker varchar, slots integer, lease interval,
        queues varchar[] DEFAULT NULL)
    RETURNS TABLE (job_id uuid, team_id uuid, fencing_token bigint, name varchar, payload jsonb, attempts integer,
        max_attempts integer, created_by uuid, cancel_requested boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    candidate record;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('slowpath.claim:' || by_worker, 0));
    FOR candidate IN
        WITH RECURSIVE team (team_id) AS (
            (SELECT first.team_id FROM public.job AS first WHERE first.state = 'waiting' ORDER BY first.team_id LIMIT 1)
            UNION ALL
            SELECT (
                SELECT next.team_id FROM public.job AS next
                WHERE next.state = 'waiting' AND next.team_id > team.team_id ORDER BY next.team_id LIMIT 1
            ) FROM team WHERE team.team_id IS NOT NULL
        ), running AS (
            SELECT job.team_id, count(*) AS everywhere, count(*) FILTER (WHERE job.worker = by_worker) AS here
            FROM public.job AS job
            WHERE job.state = 'running' AND job.lease_expires_at > clock_timestamp() GROUP BY job.team_id
        ), busy AS (
            SELECT coalesce(sum(running.here), 0) AS here FROM running
        ), waiting AS (
            SELECT team.team_id, next.id, next.priority, next.not_before
            FROM team CROSS JOIN LATERAL (
                SELECT job.id, job.priority, job.not_before
                FROM (VALUES (0), (1), (2), (3)) AS class (priority)
                CROSS JOIN unnest(coalesce(queues, ARRAY['decode', 'analyse', 'bisect', 'notify', 'mirror'])) AS lane (queue)
                CROSS JOIN LATERAL (
                    SELECT one.id, one.priority, one.not_before FROM public.job AS one
                    WHERE one.team_id = team.team_id AND one.state = 'waiting' AND one.priority = class.priority
                        AND one.queue = lane.queue AND one.not_before <= clock_timestamp()
                    ORDER BY one.not_before LIMIT 1
                ) AS job
                ORDER BY job.priority, job.not_before LIMIT 1
            ) AS next
            WHERE team.team_id IS NOT NULL
        )
        SELECT lost.team_id, lost.id, -1 AS everywhere, lost.priority, 0::double precision AS spent, lost.not_before
        FROM public.job AS lost
        WHERE lost.id = nudged AND lost.state = 'running' AND lost.lease_expires_at < clock_timestamp()
            AND lost.not_before <= clock_timestamp()
        UNION ALL
        SELECT waiting.team_id, waiting.id, coalesce(running.everywhere, 0), waiting.priority,
            team.work_seconds * 0.5 ^ (extract(epoch FROM clock_timestamp() - team.work_at) / 60),
            waiting.not_before
        FROM waiting JOIN public.team AS team ON team.id = waiting.team_id
            CROSS JOIN busy LEFT JOIN running ON running.team_id = waiting.team_id
        WHERE coalesce(running.here, 0) = 0 OR busy.here < slots
        ORDER BY 3, 4, 5, 6
    LOOP
        RETURN QUERY
            UPDATE public.job AS claimed
            SET state = 'running', fencing_token = claimed.fencing_token + 1, attempts = claimed.attempts + 1,
                send_count = 0, lease_expires_at = clock_timestamp() + lease, due_at = clock_timestamp() + lease,
                worker = by_worker,
                started_at = coalesce(claimed.started_at, clock_timestamp()), finished_at = NULL
            WHERE claimed.team_id = candidate.team_id AND claimed.id = candidate.id
                AND claimed.not_before <= clock_timestamp()
                AND (claimed.state = 'waiting'
                    OR (claimed.state = 'running' AND claimed.lease_expires_at < clock_timestamp()))
            RETURNING claimed.id, claimed.team_id, claimed.fencing_token, claimed.name, claimed.payload,
                claimed.attempts, claimed.max_attempts, claimed.created_by, claimed.cancel_requested;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
END
$$;

CREATE FUNCTION cross_team.renew_lease(sought uuid, held bigint, lease interval, reached double precision, doing
        varchar)
    RETURNS TABLE (cancel_requested boolean) LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job AS beating
    SET lease_expires_at = clock_timestamp() + lease, due_at = clock_timestamp() + lease,
        progress = reached, step = doing
    WHERE beating.id = sought AND beating.fencing_token = held AND beating.state = 'running'
    RETURNING beating.cancel_requested
$$;

-- At most `in_flight` messages per team and queue, so that no team fills the broker, and a worker of one queue does not
-- wait for the messages of another.
CREATE FUNCTION cross_team.select_due_jobs(most integer, in_flight integer)
    RETURNS TABLE (job_id uuid, queue varchar, again boolean)
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE team (team_id) AS (
        (SELECT first.team_id FROM public.job AS first WHERE first.state = 'waiting' ORDER BY first.team_id LIMIT 1)
        UNION ALL
        SELECT (
            SELECT next.team_id FROM public.job AS next
            WHERE next.state = 'waiting' AND next.team_id > team.team_id ORDER BY next.team_id LIMIT 1
        ) FROM team WHERE team.team_id IS NOT NULL
    ), left_behind AS (
        SELECT job.team_id, job.id FROM public.job AS job
        WHERE job.state = 'running' AND job.due_at <= clock_timestamp()
        ORDER BY job.due_at LIMIT most FOR UPDATE SKIP LOCKED
    ), due AS (
        SELECT team.team_id, picked.id FROM team
        CROSS JOIN unnest(ARRAY['decode', 'analyse', 'bisect', 'notify', 'mirror']) AS lane (queue)
        CROSS JOIN LATERAL (
            SELECT job.id FROM public.job AS job
            WHERE job.team_id = team.team_id AND job.queue = lane.queue AND job.state = 'waiting' AND job.due_at <= clock_timestamp()
            ORDER BY job.due_at
            LIMIT in_flight - (
                SELECT count(*) FROM (
                    SELECT FROM public.job AS sent
                    WHERE sent.team_id = team.team_id AND sent.queue = lane.queue AND sent.state = 'waiting'
                        AND sent.due_at > clock_timestamp()
                        AND sent.due_at <= clock_timestamp() + interval '20 seconds' AND sent.send_count > 0
                    LIMIT in_flight
                ) AS outstanding
            )
            FOR UPDATE SKIP LOCKED
        ) AS picked LIMIT most
    )
    UPDATE public.job AS sent
    SET send_count = sent.send_count + 1,
        due_at = clock_timestamp() + make_interval(
            secs => least(CASE sent.state WHEN 'running' THEN 5 ELSE 20 END, 2.5 * 2 ^ least(sent.send_count, 10)))
    FROM (SELECT * FROM left_behind UNION ALL SELECT * FROM due) AS chosen
    WHERE sent.team_id = chosen.team_id AND sent.id = chosen.id
    RETURNING sent.id, sent.queue, sent.state = 'running'
$$;

CREATE FUNCTION cross_team.record_failed_send(sought uuid)
    RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job SET send_count = greatest(send_count - 1, 0), due_at = clock_timestamp()
    WHERE id = sought AND (state = 'waiting' OR (state = 'running' AND lease_expires_at < clock_timestamp()))
$$;

CREATE FUNCTION cross_team.expedite_jobs(queues varchar[])
    RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job SET due_at = clock_timestamp()
    WHERE state = 'waiting' AND queue = ANY (queues) AND send_count > 0
        AND due_at > clock_timestamp() AND not_before <= clock_timestamp()
$$;

CREATE FUNCTION cross_team.job_load()
    RETURNS TABLE (queue varchar, state varchar, jobs bigint, oldest_s double precision)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT job.queue, job.state, count(*), extract(epoch FROM clock_timestamp() - min(job.created_at))::double precision
    FROM public.job WHERE job.state IN ('waiting', 'running') GROUP BY job.queue, job.state
$$;

-- Halves every minute: the team with the least recent work is served first.
CREATE FUNCTION cross_team.record_work_seconds(charged uuid, seconds double precision)
    RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.team
    SET work_seconds = seconds + work_seconds * 0.5 ^ (extract(epoch FROM clock_timestamp() - work_at) / 60),
        work_at = clock_timestamp()
    WHERE id = charged
$$;

CREATE FUNCTION cross_team.enqueue_maintenance(every interval)
    RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO public.job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,
            fencing_token, progress, step)
        SELECT team.id, gen_random_uuid(), wanted.name, 'notify', jsonb_build_object('team_id', team.id),
            'team', team.id, 'waiting', 0, 5, 0, 0, ''
        FROM public.team CROSS JOIN LATERAL (
            SELECT CASE WHEN team.deleted_at IS NULL THEN 'retention.enforce' ELSE 'accounts.erase-team' END AS name
        ) AS wanted
        WHERE NOT EXISTS (
            SELECT FROM public.job
            WHERE job.team_id = team.id AND job.subject_kind = 'team' AND job.subject_id = team.id
                AND job.name = wanted.name
                AND (job.state IN ('waiting', 'running') OR job.created_at > clock_timestamp() - every)
        );
    INSERT INTO public.job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,
            fencing_token, progress, step)
        SELECT team.id, gen_random_uuid(), 'metric-sources.watch', 'analyse',
            jsonb_build_object('team_id', team.id), 'team', team.id, 'waiting', 0, 5, 0, 0, ''
        FROM public.team
        WHERE team.deleted_at IS NULL
            AND EXISTS (SELECT FROM public.federated_service WHERE federated_service.team_id = team.id)
            AND NOT EXISTS (
                SELECT FROM public.job
                WHERE job.team_id = team.id AND job.subject_kind = 'team' AND job.subject_id = team.id
                    AND job.name = 'metric-sources.watch' AND job.state IN ('waiting', 'running')
            )
$$;

CREATE FUNCTION cross_team.delete_expired_rows()
    RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM public.idempotent_request WHERE created_at < clock_timestamp() - interval '7 days';
    INSERT INTO public.job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,
            fencing_token, progress, step)
        SELECT team_id, gen_random_uuid(), 'artifacts.expire-upload', 'notify', jsonb_build_object('upload_id', id),
            'upload', id, 'waiting', 0, 5, 0, 0, ''
        FROM public.multipart_upload
        WHERE expires_at < clock_timestamp() AND NOT EXISTS (
            SELECT FROM public.job
            WHERE job.team_id = multipart_upload.team_id
                AND subject_kind = 'upload' AND subject_id = multipart_upload.id
        );
    DELETE FROM public.job WHERE (team_id, id) IN (
        SELECT team_id, id FROM public.job
        WHERE finished_at < clock_timestamp() - interval '30 days'
            AND (state IN ('done', 'cancelled') OR state = 'failed' AND finished_at < clock_timestamp() - interval '90 days')
        ORDER BY finished_at LIMIT 10000 FOR UPDATE SKIP LOCKED
    )
$$;

-- Functions: webhooks, bisects and shared links.

CREATE FUNCTION cross_team.find_webhook(sought uuid)
    RETURNS TABLE (team_id uuid, kind varchar, encrypted_secret bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.kind, found.encrypted_secret
    FROM public.webhook AS found JOIN public.team ON team.id = found.team_id
    WHERE found.id = sought AND team.deleted_at IS NULL
$$;

CREATE FUNCTION cross_team.find_probe(sought bytea)
    RETURNS TABLE (team_id uuid, probe_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.id FROM public.probe AS found JOIN public.team ON team.id = found.team_id
    WHERE found.callback_hash = sought AND team.deleted_at IS NULL
$$;

CREATE FUNCTION cross_team.find_share_link(sought bytea)
    RETURNS TABLE (team_id uuid, link_id uuid, report_id uuid, expires_at timestamptz, revoked_at timestamptz,
        allowed boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.id, found.report_id, found.expires_at, found.revoked_at,
        coalesce((
            SELECT switch.are_links_allowed FROM public.share_settings AS switch WHERE switch.team_id = found.team_id
        ), true)
    FROM public.share_link AS found JOIN public.team ON team.id = found.team_id
    WHERE found.secret_hash = sought AND team.deleted_at IS NULL
$$;

-- Functions: metrics.

CREATE FUNCTION cross_team.first_metric_hour()
    RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT (floor(extract(epoch FROM clock_timestamp()) / 3600) - 24 * coalesce(max(retention_days), 1000))::integer
    FROM public.metric_settings
$$;

-- Creates the partitions of the coming months and drops expired ones. `fate` is made, dropped or busy.
CREATE FUNCTION cross_team.maintain_metric_partitions(months integer)
    RETURNS TABLE (part text, fate text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    least_hour integer := cross_team.first_metric_hour();
    month_at timestamp := date_trunc('month', to_timestamp(least_hour * 3600.0) AT TIME ZONE 'UTC');
    last_at timestamp := clock_timestamp() AT TIME ZONE 'UTC' + make_interval(months => least(months, 120));
    first_hour integer;
    beyond_hour integer;
    old_part regclass;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('slowpath metric_parts'));
    FOR month_at IN SELECT generate_series(month_at, last_at, '1 month') LOOP
        part := to_char(month_at, '"chunk_"YYYY_MM');
        CONTINUE WHEN to_regclass('metric_parts.' || part) IS NOT NULL;
        first_hour := extract(epoch FROM month_at) / 3600;
        beyond_hour := extract(epoch FROM month_at + interval '1 month') / 3600;
        EXECUTE format(
            'CREATE TABLE metric_parts.%I (LIKE public.metric_chunk INCLUDING DEFAULTS INCLUDING STORAGE)', part);
        -- Move earlier rows of this month, of every team, out of the default partition.
        ALTER TABLE metric_parts.chunk_other NO FORCE ROW LEVEL SECURITY;
        EXECUTE format(
            'WITH moved AS (DELETE FROM metric_parts.chunk_other WHERE hour >= $1 AND hour < $2 RETURNING *) '
            'INSERT INTO metric_parts.%I SELECT * FROM moved', part) USING first_hour, beyond_hour;
        ALTER TABLE metric_parts.chunk_other FORCE ROW LEVEL SECURITY;
        EXECUTE format('ALTER TABLE metric_parts.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
        EXECUTE format(
            'ALTER TABLE public.metric_chunk ATTACH PARTITION metric_parts.%I FOR VALUES FROM (%s) TO (%s)',
            part, first_hour, beyond_hour);
        fate := 'made';
        RETURN NEXT;
    END LOOP;
    FOR old_part IN
        SELECT child.oid::regclass FROM pg_inherits
        JOIN pg_class AS child ON child.oid = inhrelid
        WHERE inhparent = 'public.metric_chunk'::regclass
            AND substring(
                pg_get_expr(child.relpartbound, child.oid) FROM 'TO \(''?(-?[0-9]+)''?\)')::integer <= least_hour
        ORDER BY child.relname
    LOOP
        part := (SELECT relname FROM pg_class WHERE oid = old_part);
        EXECUTE format('DROP TABLE metric_parts.%I', part);
        fate := 'dropped';
        RETURN NEXT;
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    part := '';
    fate := 'busy';
    RETURN NEXT;
END
$$;

-- Each function belongs to the keeper and is called by slowpath_cross_team; the one on partitions needs their owner.

GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper;
DO $$
DECLARE
    called text;
BEGIN
    FOR called IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'cross_team'::regnamespace LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', called);
        IF called NOT IN ('cross_team.first_metric_hour()', 'cross_team.chain_audit_event()') THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO slowpath_cross_team', called);
        END IF;
        IF called <> 'cross_team.maintain_metric_partitions(integer)' THEN
            EXECUTE format('ALTER FUNCTION %s OWNER TO slowpath_keeper', called);
        END IF;
    END LOOP;
END $$;
REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper;
SET LOCAL ROLE slowpath_keeper;
GRANT EXECUTE ON FUNCTION cross_team.first_metric_hour() TO slowpath_owner;
GRANT EXECUTE ON FUNCTION cross_team.chain_audit_event() TO slowpath_owner;
RESET ROLE;

-- Triggers.

CREATE FUNCTION public.notify_job()
    RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

CREATE FUNCTION public.notify_bisect()
    RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', NEW.team_id, 'kind', 'bisect', 'id', NEW.id, 'revision', NEW.revision)::text);
    RETURN NULL;
END
$$;

CREATE FUNCTION public.notify_subject()
    RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', NEW.team_id, 'kind', TG_ARGV[0], 'id', NEW.id, 'state', NEW.state)::text);
    RETURN NULL;
END
$$;

CREATE FUNCTION public.notify_team()
    RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', coalesce(NEW.team_id, OLD.team_id), 'kind', TG_ARGV[0])::text);
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER chain AFTER INSERT ON audit_event DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION cross_team.chain_audit_event();
CREATE TRIGGER notify AFTER INSERT OR UPDATE OF state, progress, step, cancel_requested ON job
    FOR EACH ROW EXECUTE FUNCTION notify_job();
CREATE TRIGGER notify AFTER INSERT OR UPDATE OF revision ON bisect FOR EACH ROW EXECUTE FUNCTION notify_bisect();
DO $$
DECLARE
    name text;
    kind text;
    happens text;
BEGIN
    FOR name, kind IN VALUES
        ('artifact', 'artifact'), ('comparison', 'comparison'), ('comparison_export', 'export'), ('diff_view', 'view'),
        ('gap_explanation', 'explanation'), ('profile_set', 'profile_set'),
        ('profile_view', 'profile_view'), ('profile_export', 'profile_export'), ('trace_excerpt', 'trace_excerpt')
    LOOP
        EXECUTE format(
            'CREATE TRIGGER notify AFTER INSERT OR UPDATE OF state ON %I '
            'FOR EACH ROW EXECUTE FUNCTION notify_subject(%L)',
            name, kind);
    END LOOP;
    FOR name, happens, kind IN VALUES
        ('build', 'INSERT OR UPDATE OR DELETE', 'build'), ('comment', 'INSERT OR UPDATE OR DELETE', 'comment'),
        ('regression', 'INSERT OR UPDATE OR DELETE', 'regression'), ('regression_event', 'INSERT', 'regression'),
        ('build_verdict', 'INSERT OR UPDATE OF state, sentence', 'regression'),
        ('mention', 'INSERT OR UPDATE OF read_at', 'mention'), ('team_event', 'INSERT', 'event')
    LOOP
        EXECUTE format(
            'CREATE TRIGGER notify AFTER %s ON %I FOR EACH ROW EXECUTE FUNCTION notify_team(%L)', happens, name, kind);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['audit_event', 'bisect_event', 'deployment', 'regression_event'] LOOP
        EXECUTE format(
            'CREATE TRIGGER notify_activity AFTER INSERT ON %I FOR EACH ROW EXECUTE FUNCTION notify_team(''activity'')',
            name);
    END LOOP;
END $$;

CREATE TABLE alembic_version (version_num varchar(32) NOT NULL CONSTRAINT alembic_version_pkc PRIMARY KEY);
INSERT INTO alembic_version VALUES ('20261128_1000');
