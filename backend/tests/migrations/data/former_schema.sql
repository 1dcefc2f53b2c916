-- The schema of version 20261122_0500, the last with the former names. Test data: never changed, only loaded.
CREATE TABLE app_user (
    id uuid NOT NULL, email varchar NOT NULL, email_key varchar NOT NULL, name varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL, mention_mails boolean DEFAULT true NOT NULL,
    CONSTRAINT pk_app_user PRIMARY KEY (id), CONSTRAINT uq_app_user_email_key UNIQUE (email_key)
);
CREATE TABLE team (
    id uuid NOT NULL, slug varchar NOT NULL, name varchar NOT NULL, deleted_at timestamptz, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    work_seconds double precision DEFAULT 0 NOT NULL, work_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_team PRIMARY KEY (id), CONSTRAINT uq_team_slug UNIQUE (slug)
);
CREATE TABLE audit_event (
    team_id uuid NOT NULL, id uuid NOT NULL, actor_id uuid, actor_kind varchar NOT NULL, actor_name varchar NOT NULL, action varchar NOT NULL,
    subject_kind varchar NOT NULL, subject_id uuid, facts jsonb NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_audit_event PRIMARY KEY (team_id, id), CONSTRAINT fk_audit_event_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_audit_event_action ON audit_event (team_id, action, created_at);
CREATE INDEX ix_audit_event_newest ON audit_event (team_id, created_at, id);
CREATE TABLE channel (
    team_id uuid NOT NULL, id uuid NOT NULL, kind varchar NOT NULL, label varchar NOT NULL, target jsonb NOT NULL, sealed bytea,
    events jsonb NOT NULL, service_ids jsonb, state varchar NOT NULL, failing_since timestamptz, problem jsonb, sent_at timestamptz, created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_channel PRIMARY KEY (team_id, id), CONSTRAINT ck_channel_kind CHECK ((kind in ('slack', 'email', 'webhook', 'github', 'gitlab'))),
    CONSTRAINT ck_channel_state CHECK ((state in ('on', 'off', 'dead'))),
    CONSTRAINT fk_channel_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_channel_newest ON channel (team_id, created_at, id);
CREATE TABLE derived_sum (
    team_id uuid NOT NULL, id uuid NOT NULL, size_bytes bigint NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_derived_sum PRIMARY KEY (team_id, id), CONSTRAINT uq_derived_sum_team_id UNIQUE (team_id),
    CONSTRAINT fk_derived_sum_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE environment (
    team_id uuid NOT NULL, id uuid NOT NULL, slug varchar NOT NULL, name varchar NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_environment PRIMARY KEY (team_id, id), CONSTRAINT uq_environment_team_id_slug UNIQUE (team_id, slug),
    CONSTRAINT fk_environment_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE idempotent_request (
    team_id uuid NOT NULL, id uuid NOT NULL, operation varchar NOT NULL, key varchar NOT NULL, fingerprint varchar NOT NULL, subject_id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_idempotent_request PRIMARY KEY (team_id, id),
    CONSTRAINT uq_idempotent_request_team_id_operation_key UNIQUE (team_id, operation, key),
    CONSTRAINT fk_idempotent_request_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE invitation (
    team_id uuid NOT NULL, id uuid NOT NULL, role varchar NOT NULL, email varchar, secret_hash bytea NOT NULL, expires_at timestamptz NOT NULL,
    created_by uuid, accepted_at timestamptz, accepted_by uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL, mail_secret_hash bytea,
    mailed_at timestamptz, mail_problem jsonb,
    CONSTRAINT pk_invitation PRIMARY KEY (team_id, id), CONSTRAINT ck_invitation_role CHECK ((role in ('viewer', 'member', 'admin', 'owner'))),
    CONSTRAINT uq_invitation_mail_secret_hash UNIQUE (mail_secret_hash), CONSTRAINT uq_invitation_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_invitation_accepted_by FOREIGN KEY (accepted_by) REFERENCES app_user(id) ON DELETE SET NULL,
    CONSTRAINT fk_invitation_created_by FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
    CONSTRAINT fk_invitation_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_invitation_accepted_by ON invitation (accepted_by);
CREATE INDEX ix_invitation_created_by ON invitation (created_by);
CREATE INDEX ix_invitation_newest ON invitation (team_id, created_at, id);
CREATE TABLE job (
    team_id uuid NOT NULL, id uuid NOT NULL, name varchar NOT NULL, queue varchar NOT NULL, payload jsonb NOT NULL, subject_kind varchar NOT NULL,
    subject_id uuid NOT NULL, created_by uuid, state varchar NOT NULL, attempts integer NOT NULL, max_attempts integer NOT NULL,
    due_at timestamptz DEFAULT clock_timestamp() NOT NULL, not_before timestamptz DEFAULT clock_timestamp() NOT NULL,
    sends integer DEFAULT 0 NOT NULL, fence bigint NOT NULL, lease_until timestamptz, cancel_asked boolean DEFAULT false NOT NULL,
    progress double precision NOT NULL, step varchar NOT NULL, problem jsonb, started_at timestamptz, finished_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL, priority integer DEFAULT 3 NOT NULL, worker varchar,
    CONSTRAINT pk_job PRIMARY KEY (team_id, id), CONSTRAINT ck_job_state CHECK ((state in ('waiting', 'running', 'done', 'failed', 'cancelled'))),
    CONSTRAINT fk_job_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_job_due ON job (due_at) WHERE state IN ('waiting', 'running');
CREATE INDEX ix_job_id ON job (id);
CREATE INDEX ix_job_newest ON job (team_id, created_at, id);
CREATE INDEX ix_job_next ON job (team_id, priority, not_before) WHERE ((state)::text = 'waiting'::text);
CREATE INDEX ix_job_running ON job (due_at) WHERE ((state)::text = 'running'::text);
CREATE INDEX ix_job_subject ON job (team_id, subject_kind, subject_id);
CREATE INDEX ix_job_to_send ON job (team_id, due_at) WHERE ((state)::text = 'waiting'::text);
CREATE TABLE membership (
    team_id uuid NOT NULL, id uuid NOT NULL, user_id uuid NOT NULL, role varchar NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_membership PRIMARY KEY (team_id, id), CONSTRAINT ck_membership_role CHECK ((role in ('viewer', 'member', 'admin', 'owner'))),
    CONSTRAINT uq_membership_team_id_user_id UNIQUE (team_id, user_id),
    CONSTRAINT fk_membership_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_membership_user_id FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX ix_membership_newest ON membership (team_id, created_at, id);
CREATE INDEX ix_membership_user_id ON membership (user_id);
CREATE TABLE metric_chunk (
    team_id uuid NOT NULL, id bigint NOT NULL, hour integer NOT NULL, samples integer NOT NULL, content bytea NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_chunk PRIMARY KEY (team_id, id, hour),
    CONSTRAINT fk_metric_chunk_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
) PARTITION BY RANGE (hour);
ALTER TABLE metric_chunk ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TABLE metric_rule (
    team_id uuid NOT NULL, id uuid NOT NULL, metric varchar NOT NULL, role varchar NOT NULL, equal jsonb NOT NULL, service varchar,
    service_label varchar, environment_label varchar, status_label varchar, scale double precision DEFAULT 1 NOT NULL, title varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_rule PRIMARY KEY (team_id, id), CONSTRAINT ck_metric_rule_role CHECK ((role in ('requests', 'latency', 'ignore', 'gauge'))),
    CONSTRAINT fk_metric_rule_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_metric_rule_newest ON metric_rule (team_id, created_at, id);
CREATE TABLE metric_settings (
    team_id uuid NOT NULL, id uuid NOT NULL, retention_days integer DEFAULT 30 NOT NULL, next_id bigint DEFAULT 1 NOT NULL,
    series integer DEFAULT 0 NOT NULL, epoch integer DEFAULT 0 NOT NULL, folds bigint DEFAULT 0 NOT NULL, retained_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_settings PRIMARY KEY (team_id, id), CONSTRAINT uq_metric_settings_team_id UNIQUE (team_id),
    CONSTRAINT fk_metric_settings_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE metric_source (
    team_id uuid NOT NULL, id uuid NOT NULL, label varchar NOT NULL, url varchar NOT NULL, credentials varchar NOT NULL, sealed bytea,
    last_import jsonb, created_at timestamptz DEFAULT clock_timestamp() NOT NULL, last_check jsonb,
    CONSTRAINT pk_metric_source PRIMARY KEY (team_id, id),
    CONSTRAINT ck_metric_source_credentials CHECK ((credentials in ('none', 'bearer', 'basic'))),
    CONSTRAINT ck_metric_source_sealed CHECK ((((credentials)::text = 'none') = (sealed IS NULL))),
    CONSTRAINT fk_metric_source_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_metric_source_newest ON metric_source (team_id, created_at, id);
CREATE TABLE metric_tail (
    team_id uuid NOT NULL, id bigint GENERATED BY DEFAULT AS IDENTITY, first_ms bigint NOT NULL, last_ms bigint NOT NULL, samples integer NOT NULL,
    content bytea NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_tail PRIMARY KEY (team_id, id), CONSTRAINT fk_metric_tail_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_metric_tail_created_at ON metric_tail (created_at);
ALTER TABLE metric_tail ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TABLE password_reset (
    id uuid NOT NULL, user_id uuid NOT NULL, secret_hash bytea, expires_at timestamptz NOT NULL, used_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL, letter_due_at timestamptz,
    CONSTRAINT pk_password_reset PRIMARY KEY (id), CONSTRAINT uq_password_reset_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_password_reset_user_id FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX ix_password_reset_letter ON password_reset (letter_due_at) WHERE (letter_due_at IS NOT NULL);
CREATE INDEX ix_password_reset_user_id ON password_reset (user_id);
CREATE TABLE report (
    team_id uuid NOT NULL, id uuid NOT NULL, number integer NOT NULL, title varchar NOT NULL, blocks jsonb NOT NULL, version integer NOT NULL,
    published_at timestamptz, changed_at timestamptz NOT NULL, created_by uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_report PRIMARY KEY (team_id, id), CONSTRAINT uq_report_number UNIQUE (team_id, number),
    CONSTRAINT fk_report_created_by FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
    CONSTRAINT fk_report_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_report_created_by ON report (created_by);
CREATE INDEX ix_report_newest ON report (team_id, created_at, id);
CREATE TABLE repository (
    team_id uuid NOT NULL, id uuid NOT NULL, label varchar NOT NULL, kind varchar NOT NULL, url varchar, web_url varchar,
    credentials varchar NOT NULL, sealed bytea, default_branch varchar, heads jsonb NOT NULL, fetched_at timestamptz, problem jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL, tags jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT pk_repository PRIMARY KEY (team_id, id), CONSTRAINT ck_repository_credentials CHECK ((credentials in ('none', 'bearer', 'basic'))),
    CONSTRAINT ck_repository_kind CHECK ((kind in ('github', 'gitlab', 'other', 'pushed'))),
    CONSTRAINT ck_repository_sealed CHECK ((((credentials)::text = 'none') = (sealed IS NULL))),
    CONSTRAINT ck_repository_url CHECK ((((kind)::text = 'pushed') = (url IS NULL))), CONSTRAINT uq_repository_team_id_url UNIQUE (team_id, url),
    CONSTRAINT fk_repository_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_repository_newest ON repository (team_id, created_at, id);
CREATE TABLE retention_rule (
    team_id uuid NOT NULL, id uuid NOT NULL, kind varchar NOT NULL, days integer, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_retention_rule PRIMARY KEY (team_id, id), CONSTRAINT ck_retention_rule_days CHECK ((days > 0)),
    CONSTRAINT uq_retention_rule_team_id_kind UNIQUE (team_id, kind),
    CONSTRAINT fk_retention_rule_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE runner (
    team_id uuid NOT NULL, id uuid NOT NULL, name varchar NOT NULL, slots integer NOT NULL, labels jsonb DEFAULT '{}'::jsonb NOT NULL,
    version varchar NOT NULL, token_id uuid, seen_at timestamptz NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    instance varchar DEFAULT '' NOT NULL, host varchar DEFAULT '' NOT NULL, left_at timestamptz,
    CONSTRAINT pk_runner PRIMARY KEY (team_id, id), CONSTRAINT uq_runner_name UNIQUE (team_id, name),
    CONSTRAINT fk_runner_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE service (
    team_id uuid NOT NULL, id uuid NOT NULL, slug varchar NOT NULL, name varchar NOT NULL, description varchar NOT NULL, main_package varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service PRIMARY KEY (team_id, id), CONSTRAINT uq_service_team_id_slug UNIQUE (team_id, slug),
    CONSTRAINT fk_service_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE service_account (
    team_id uuid NOT NULL, id uuid NOT NULL, name varchar NOT NULL, role varchar NOT NULL, disabled_at timestamptz, created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_account PRIMARY KEY (team_id, id), CONSTRAINT ck_service_account_role CHECK ((role in ('viewer', 'member'))),
    CONSTRAINT uq_service_account_team_id_name UNIQUE (team_id, name),
    CONSTRAINT fk_service_account_created_by FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
    CONSTRAINT fk_service_account_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_service_account_created_by ON service_account (created_by);
CREATE INDEX ix_service_account_newest ON service_account (team_id, created_at, id);
CREATE TABLE sharing (
    team_id uuid NOT NULL, id uuid NOT NULL, links_allowed boolean NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_sharing PRIMARY KEY (team_id, id), CONSTRAINT uq_sharing_team_id UNIQUE (team_id),
    CONSTRAINT fk_sharing_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE span_push (
    team_id uuid NOT NULL, id uuid NOT NULL, dialect varchar NOT NULL, content bytea NOT NULL, size_bytes bigint NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_span_push PRIMARY KEY (team_id, id), CONSTRAINT ck_span_push_dialect CHECK ((dialect in ('protobuf', 'json'))),
    CONSTRAINT fk_span_push_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_span_push_oldest ON span_push (team_id, created_at, id);
CREATE TABLE storage_count (
    team_id uuid NOT NULL, id uuid NOT NULL, folders jsonb NOT NULL, swept integer NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_storage_count PRIMARY KEY (team_id, id),
    CONSTRAINT fk_storage_count_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_storage_count_newest ON storage_count (team_id, created_at);
CREATE TABLE upload (
    team_id uuid NOT NULL, id uuid NOT NULL, name varchar NOT NULL, size_bytes bigint NOT NULL, part_bytes integer NOT NULL, batch uuid,
    build_id uuid, facts jsonb NOT NULL, created_by uuid, expires_at timestamptz NOT NULL, artifact_id uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL, program_id uuid,
    CONSTRAINT pk_upload PRIMARY KEY (team_id, id), CONSTRAINT fk_upload_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE usage_day (
    team_id uuid NOT NULL, id uuid NOT NULL, day date NOT NULL, uploads integer NOT NULL, upload_bytes bigint NOT NULL, samples bigint NOT NULL,
    jobs integer NOT NULL, builds integer NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_usage_day PRIMARY KEY (team_id, id), CONSTRAINT uq_usage_day_team_id_day UNIQUE (team_id, day),
    CONSTRAINT fk_usage_day_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE TABLE user_password (
    user_id uuid NOT NULL, hash varchar NOT NULL, changed_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_user_password PRIMARY KEY (user_id),
    CONSTRAINT fk_user_password_user_id FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE TABLE user_session (
    id uuid NOT NULL, user_id uuid NOT NULL, secret_hash bytea NOT NULL, browser varchar NOT NULL, address varchar NOT NULL,
    last_seen_at timestamptz NOT NULL, expires_at timestamptz NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL, issuer_token bytea,
    CONSTRAINT pk_user_session PRIMARY KEY (id), CONSTRAINT uq_user_session_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_user_session_user_id FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX ix_user_session_newest ON user_session (user_id, created_at, id);
CREATE TABLE user_sign_in (
    id uuid NOT NULL, user_id uuid NOT NULL, issuer varchar NOT NULL, subject varchar NOT NULL, email varchar, last_used_at timestamptz NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_user_sign_in PRIMARY KEY (id), CONSTRAINT uq_user_sign_in_issuer_subject UNIQUE (issuer, subject),
    CONSTRAINT fk_user_sign_in_user_id FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX ix_user_sign_in_user_id ON user_sign_in (user_id);
CREATE TABLE annotation (
    team_id uuid NOT NULL, id uuid NOT NULL, environment_id uuid NOT NULL, service_id uuid, at timestamptz NOT NULL, "until" timestamptz,
    text varchar NOT NULL, created_by uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_annotation PRIMARY KEY (team_id, id), CONSTRAINT fk_annotation_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_annotation_team_id_environment_id FOREIGN KEY (team_id, environment_id) REFERENCES environment(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_annotation_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_annotation_when ON annotation (team_id, environment_id, at);
CREATE TABLE api_token (
    team_id uuid NOT NULL, id uuid NOT NULL, name varchar NOT NULL, prefix varchar NOT NULL, secret_hash bytea NOT NULL, scopes varchar[] NOT NULL,
    expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz, created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL, service_account_id uuid, requests_per_minute integer, uploads_per_minute integer,
    CONSTRAINT pk_api_token PRIMARY KEY (team_id, id), CONSTRAINT ck_api_token_rates CHECK (((requests_per_minute > 0) AND (uploads_per_minute > 0))),
    CONSTRAINT uq_api_token_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_api_token_created_by FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
    CONSTRAINT fk_api_token_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_api_token_team_id_service_account_id FOREIGN KEY (team_id, service_account_id) REFERENCES service_account(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_api_token_created_by ON api_token (created_by);
CREATE INDEX ix_api_token_newest ON api_token (team_id, created_at, id);
CREATE INDEX ix_api_token_service_account_id ON api_token (team_id, service_account_id);
CREATE TABLE board_order (
    team_id uuid NOT NULL, id uuid NOT NULL, environment_id uuid NOT NULL, service_ids jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_board_order PRIMARY KEY (team_id, id), CONSTRAINT uq_board_order_environment UNIQUE (team_id, environment_id),
    CONSTRAINT fk_board_order_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_board_order_team_id_environment_id FOREIGN KEY (team_id, environment_id) REFERENCES environment(team_id, id) ON DELETE CASCADE
);
CREATE TABLE build (
    team_id uuid NOT NULL, id uuid NOT NULL, service_id uuid NOT NULL, commit varchar NOT NULL, go_version varchar NOT NULL, goos varchar NOT NULL,
    goarch varchar NOT NULL, flags varchar NOT NULL, branch varchar, label varchar, ci_url varchar, dependencies jsonb, committed_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL, parent varchar, title varchar, author varchar, pull_request jsonb,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL, program_id uuid, sender_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    CONSTRAINT pk_build PRIMARY KEY (team_id, id), CONSTRAINT uq_build_identity UNIQUE (team_id, service_id, commit, go_version, goos, goarch, flags),
    CONSTRAINT fk_build_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_build_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_build_newest ON build (team_id, created_at, id);
CREATE TABLE commit (
    team_id uuid NOT NULL, id uuid NOT NULL, repository_id uuid NOT NULL, sha varchar NOT NULL, parents jsonb, generation integer NOT NULL,
    author_name varchar NOT NULL, author_email varchar NOT NULL, authored_at timestamptz, committed_at timestamptz, title varchar NOT NULL,
    message varchar NOT NULL, files jsonb, files_total integer, added integer, removed integer, bumps jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_commit PRIMARY KEY (team_id, id), CONSTRAINT uq_commit_sha UNIQUE (team_id, repository_id, sha),
    CONSTRAINT fk_commit_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_team_id_repository_id FOREIGN KEY (team_id, repository_id) REFERENCES repository(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_commit_parents ON commit USING gin (parents);
CREATE TABLE commit_word (
    team_id uuid NOT NULL, id uuid NOT NULL, service_id uuid NOT NULL, commit varchar NOT NULL, told jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_commit_word PRIMARY KEY (team_id, id), CONSTRAINT uq_commit_word UNIQUE (team_id, service_id, commit),
    CONSTRAINT fk_commit_word_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_word_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_commit_word_oldest ON commit_word (team_id, service_id, created_at);
CREATE TABLE comparison (
    team_id uuid NOT NULL, id uuid NOT NULL, name varchar NOT NULL, base_label varchar NOT NULL, candidate_label varchar NOT NULL,
    state varchar NOT NULL, verdict varchar, headline varchar, result jsonb, problem jsonb, job_id uuid, created_by uuid, finished_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL, parts jsonb DEFAULT '{}'::jsonb NOT NULL, windows jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT pk_comparison PRIMARY KEY (team_id, id),
    CONSTRAINT ck_comparison_state CHECK ((state in ('waiting', 'running', 'done', 'failed', 'cancelled'))),
    CONSTRAINT fk_comparison_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_comparison_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job(team_id, id) ON DELETE SET NULL (job_id)
);
CREATE INDEX ix_comparison_newest ON comparison (team_id, created_at, id);
CREATE TABLE hook (
    team_id uuid NOT NULL, id uuid NOT NULL, label varchar NOT NULL, kind varchar NOT NULL, sealed bytea NOT NULL, repository_id uuid,
    service_ids jsonb DEFAULT '[]'::jsonb NOT NULL, api_url varchar, api_sealed bytea, target varchar, external_id varchar,
    last_delivery_at timestamptz, reconciled_at timestamptz, missed integer DEFAULT 0 NOT NULL, problem jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_hook PRIMARY KEY (team_id, id), CONSTRAINT ck_hook_api CHECK (((api_url IS NULL) = (api_sealed IS NULL))),
    CONSTRAINT ck_hook_kind CHECK ((kind in ('gitlab', 'github'))),
    CONSTRAINT fk_hook_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_hook_team_id_repository_id FOREIGN KEY (team_id, repository_id) REFERENCES repository(team_id, id) ON DELETE SET NULL (repository_id)
);
CREATE INDEX ix_hook_id ON hook (id);
CREATE INDEX ix_hook_newest ON hook (team_id, created_at, id);
CREATE TABLE message (
    team_id uuid NOT NULL, id uuid NOT NULL, channel_id uuid NOT NULL, event varchar NOT NULL, dedupe_key varchar NOT NULL, thread varchar,
    content jsonb NOT NULL, state varchar NOT NULL, failures integer NOT NULL, next_at timestamptz, problem jsonb, sent_at timestamptz,
    outside_id varchar, job_id uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_message PRIMARY KEY (team_id, id), CONSTRAINT ck_message_state CHECK ((state in ('waiting', 'sent', 'given-up'))),
    CONSTRAINT uq_message_once UNIQUE (team_id, channel_id, dedupe_key),
    CONSTRAINT fk_message_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_message_team_id_channel_id FOREIGN KEY (team_id, channel_id) REFERENCES channel(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_message_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job(team_id, id) ON DELETE SET NULL (job_id)
);
CREATE INDEX ix_message_newest ON message (team_id, channel_id, created_at, id);
CREATE INDEX ix_message_thread ON message (team_id, channel_id, thread);
CREATE TABLE metric_series (
    team_id uuid NOT NULL, id bigint NOT NULL, fingerprint bytea NOT NULL, name varchar NOT NULL, labels jsonb NOT NULL, kind varchar NOT NULL,
    unit varchar DEFAULT '' NOT NULL, bundle bytea NOT NULL, block_id bigint NOT NULL, created_ms bigint, last_ms bigint NOT NULL, role varchar,
    why varchar NOT NULL, service_id uuid, environment_id uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_series PRIMARY KEY (team_id, id),
    CONSTRAINT ck_metric_series_kind CHECK ((kind in ('counter', 'histogram', 'gauge-histogram', 'unknown', 'gauge'))),
    CONSTRAINT uq_metric_series_team_id_fingerprint UNIQUE (team_id, fingerprint),
    CONSTRAINT fk_metric_series_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_metric_series_team_id_environment_id FOREIGN KEY (team_id, environment_id) REFERENCES environment(team_id, id) ON DELETE SET NULL (environment_id),
    CONSTRAINT fk_metric_series_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE SET NULL (service_id)
);
CREATE INDEX ix_metric_series_bundle ON metric_series (team_id, bundle);
CREATE INDEX ix_metric_series_environment ON metric_series (team_id, environment_id) WHERE (role IS NOT NULL);
CREATE INDEX ix_metric_series_name ON metric_series (team_id, name);
CREATE INDEX ix_metric_series_service ON metric_series (team_id, service_id);
CREATE TABLE metric_watch (
    team_id uuid NOT NULL, id uuid NOT NULL, environment_id uuid NOT NULL, watched_ms bigint NOT NULL, minutes_ms bigint NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_watch PRIMARY KEY (team_id, id), CONSTRAINT uq_metric_watch_team_id_environment_id UNIQUE (team_id, environment_id),
    CONSTRAINT fk_metric_watch_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_metric_watch_team_id_environment_id FOREIGN KEY (team_id, environment_id) REFERENCES environment(team_id, id) ON DELETE CASCADE
);
CREATE TABLE read_through (
    team_id uuid NOT NULL, id uuid NOT NULL, source_id uuid NOT NULL, service_id uuid NOT NULL, environment_id uuid NOT NULL, equal jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_read_through PRIMARY KEY (team_id, id), CONSTRAINT uq_read_through_place UNIQUE (team_id, environment_id, service_id),
    CONSTRAINT fk_read_through_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_read_through_team_id_environment_id FOREIGN KEY (team_id, environment_id) REFERENCES environment(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_read_through_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_read_through_team_id_source_id FOREIGN KEY (team_id, source_id) REFERENCES metric_source(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_read_through_service ON read_through (team_id, service_id);
CREATE INDEX ix_read_through_source ON read_through (team_id, source_id, created_at, id);
CREATE TABLE report_version (
    team_id uuid NOT NULL, id uuid NOT NULL, report_id uuid NOT NULL, version integer NOT NULL, title varchar NOT NULL, blocks jsonb NOT NULL,
    published_by uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_report_version PRIMARY KEY (team_id, id), CONSTRAINT uq_report_version_once UNIQUE (team_id, report_id, version),
    CONSTRAINT fk_report_version_published_by FOREIGN KEY (published_by) REFERENCES app_user(id) ON DELETE SET NULL,
    CONSTRAINT fk_report_version_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_report_version_team_id_report_id FOREIGN KEY (team_id, report_id) REFERENCES report(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_report_version_published_by ON report_version (published_by);
CREATE TABLE service_edge (
    team_id uuid NOT NULL, id uuid NOT NULL, environment_id uuid NOT NULL, caller_id uuid NOT NULL, callee_id uuid NOT NULL, calls bigint NOT NULL,
    requests bigint NOT NULL, seen_at timestamptz NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_edge PRIMARY KEY (team_id, id), CONSTRAINT uq_service_edge_ends UNIQUE (team_id, environment_id, caller_id, callee_id),
    CONSTRAINT fk_service_edge_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_service_edge_team_id_callee_id FOREIGN KEY (team_id, callee_id) REFERENCES service(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_edge_team_id_caller_id FOREIGN KEY (team_id, caller_id) REFERENCES service(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_edge_team_id_environment_id FOREIGN KEY (team_id, environment_id) REFERENCES environment(team_id, id) ON DELETE CASCADE
);
CREATE TABLE service_repository (
    team_id uuid NOT NULL, id uuid NOT NULL, service_id uuid NOT NULL, repository_id uuid NOT NULL, directory varchar NOT NULL,
    main_package varchar NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_repository PRIMARY KEY (team_id, id), CONSTRAINT uq_service_repository_team_id_service_id UNIQUE (team_id, service_id),
    CONSTRAINT fk_service_repository_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_service_repository_team_id_repository_id FOREIGN KEY (team_id, repository_id) REFERENCES repository(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_repository_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_service_repository_repository ON service_repository (team_id, repository_id);
CREATE TABLE share_link (
    team_id uuid NOT NULL, id uuid NOT NULL, report_id uuid NOT NULL, name varchar NOT NULL, secret_hash bytea NOT NULL, version integer,
    scrub jsonb NOT NULL, expires_at timestamptz, revoked_at timestamptz, views integer NOT NULL, last_viewed_at timestamptz, created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_share_link PRIMARY KEY (team_id, id), CONSTRAINT uq_share_link_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_share_link_created_by FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
    CONSTRAINT fk_share_link_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_share_link_team_id_report_id FOREIGN KEY (team_id, report_id) REFERENCES report(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_share_link_created_by ON share_link (created_by);
CREATE INDEX ix_share_link_newest ON share_link (team_id, report_id, created_at, id);
CREATE TABLE team_export (
    team_id uuid NOT NULL, id uuid NOT NULL, state varchar NOT NULL, problem jsonb, job_id uuid, blob_key varchar, size_bytes bigint, sha256 varchar,
    files integer, missing integer, expires_at timestamptz, created_by uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_team_export PRIMARY KEY (team_id, id),
    CONSTRAINT ck_team_export_state CHECK ((state in ('waiting', 'running', 'done', 'failed', 'cancelled'))),
    CONSTRAINT fk_team_export_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_team_export_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job(team_id, id) ON DELETE SET NULL (job_id)
);
CREATE INDEX ix_team_export_newest ON team_export (team_id, created_at, id);
CREATE TABLE upload_part (
    team_id uuid NOT NULL, id uuid NOT NULL, upload_id uuid NOT NULL, number integer NOT NULL, size_bytes bigint NOT NULL, sha256 varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_upload_part PRIMARY KEY (team_id, id), CONSTRAINT uq_upload_part_team_id_upload_id_number UNIQUE (team_id, upload_id, number),
    CONSTRAINT fk_upload_part_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_upload_part_team_id_upload_id FOREIGN KEY (team_id, upload_id) REFERENCES upload(team_id, id) ON DELETE CASCADE
);
CREATE TABLE watched_series (
    team_id uuid NOT NULL, id uuid NOT NULL, service_id uuid NOT NULL, kind varchar NOT NULL, subject varchar NOT NULL, muted boolean NOT NULL,
    created_by uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_watched_series PRIMARY KEY (team_id, id), CONSTRAINT uq_watched_series_subject UNIQUE (team_id, service_id, kind, subject),
    CONSTRAINT fk_watched_series_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_watched_series_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE TABLE artifact (
    team_id uuid NOT NULL, id uuid NOT NULL, name varchar NOT NULL, size_bytes bigint NOT NULL, sha256 varchar NOT NULL, batch uuid, build_id uuid,
    facts jsonb NOT NULL, state varchar NOT NULL, kind varchar, summary jsonb, problem jsonb, job_id uuid, created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL, program_id uuid,
    CONSTRAINT pk_artifact PRIMARY KEY (team_id, id),
    CONSTRAINT ck_artifact_state CHECK ((state in ('received', 'decoding', 'decoded', 'refused', 'failed'))),
    CONSTRAINT fk_artifact_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_artifact_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job(team_id, id) ON DELETE SET NULL (job_id)
);
CREATE INDEX ix_artifact_batch ON artifact (team_id, batch);
CREATE INDEX ix_artifact_build ON artifact (team_id, build_id);
CREATE INDEX ix_artifact_kind ON artifact (team_id, kind, created_at);
CREATE INDEX ix_artifact_newest ON artifact (team_id, created_at, id);
CREATE INDEX ix_artifact_sha256 ON artifact (team_id, sha256);
CREATE TABLE build_judgement (
    team_id uuid NOT NULL, id uuid NOT NULL, build_id uuid NOT NULL, service_id uuid NOT NULL, branch varchar NOT NULL,
    ordered_at timestamptz NOT NULL, state varchar NOT NULL, sentence varchar NOT NULL, needs jsonb,
    regression_ids jsonb DEFAULT '[]'::jsonb NOT NULL, judged_at timestamptz, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_build_judgement PRIMARY KEY (team_id, id),
    CONSTRAINT ck_build_judgement_state CHECK ((state in ('waiting', 'judging', 'passed', 'changed', 'inconclusive', 'skipped'))),
    CONSTRAINT uq_build_judgement_team_id_build_id UNIQUE (team_id, build_id),
    CONSTRAINT fk_build_judgement_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_build_judgement_team_id_build_id FOREIGN KEY (team_id, build_id) REFERENCES build(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_judgement_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_build_judgement_line ON build_judgement (team_id, service_id, branch, ordered_at);
CREATE TABLE build_measure (
    team_id uuid NOT NULL, id uuid NOT NULL, build_id uuid NOT NULL, kind varchar NOT NULL, made_of varchar NOT NULL, artifacts integer NOT NULL,
    conditions varchar NOT NULL, content bytea NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_build_measure PRIMARY KEY (team_id, id), CONSTRAINT uq_build_measure_kind UNIQUE (team_id, build_id, kind),
    CONSTRAINT fk_build_measure_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_build_measure_team_id_build_id FOREIGN KEY (team_id, build_id) REFERENCES build(team_id, id) ON DELETE CASCADE
);
CREATE TABLE commit_closure (
    team_id uuid NOT NULL, id uuid NOT NULL, commit_id uuid NOT NULL, recipe varchar NOT NULL, hash varchar, packages integer, problem varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_commit_closure PRIMARY KEY (team_id, id), CONSTRAINT ck_commit_closure_hash CHECK (((hash IS NULL) = (problem IS NOT NULL))),
    CONSTRAINT uq_commit_closure_recipe UNIQUE (team_id, commit_id, recipe),
    CONSTRAINT fk_commit_closure_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_closure_team_id_commit_id FOREIGN KEY (team_id, commit_id) REFERENCES commit(team_id, id) ON DELETE CASCADE
);
CREATE TABLE commit_diff (
    team_id uuid NOT NULL, id uuid NOT NULL, commit_id uuid NOT NULL, content bytea, problem jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_commit_diff PRIMARY KEY (team_id, id), CONSTRAINT uq_commit_diff_team_id_commit_id UNIQUE (team_id, commit_id),
    CONSTRAINT fk_commit_diff_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_diff_team_id_commit_id FOREIGN KEY (team_id, commit_id) REFERENCES commit(team_id, id) ON DELETE CASCADE
);
CREATE TABLE comparison_view (
    team_id uuid NOT NULL, id uuid NOT NULL, comparison_id uuid NOT NULL, kind varchar NOT NULL, sample_type varchar NOT NULL, unit varchar NOT NULL,
    granularity varchar NOT NULL, position integer NOT NULL, state varchar NOT NULL, problem jsonb, job_id uuid, bases jsonb, default_basis varchar,
    nodes integer, functions integer, all_key varchar, first_key varchar, rest_key varchar, functions_key varchar, lines_key varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_comparison_view PRIMARY KEY (team_id, id),
    CONSTRAINT ck_comparison_view_state CHECK ((state in ('uncut', 'waiting', 'running', 'done', 'failed', 'cancelled'))),
    CONSTRAINT uq_comparison_view_once UNIQUE (team_id, comparison_id, kind, sample_type, granularity),
    CONSTRAINT fk_comparison_view_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_comparison_view_team_id_comparison_id FOREIGN KEY (team_id, comparison_id) REFERENCES comparison(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comparison_view_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job(team_id, id) ON DELETE SET NULL (job_id)
);
CREATE TABLE deploy (
    team_id uuid NOT NULL, id uuid NOT NULL, service_id uuid NOT NULL, environment_id uuid NOT NULL, build_id uuid, commit varchar NOT NULL,
    label varchar, started_at timestamptz NOT NULL, ended_at timestamptz, source varchar NOT NULL, external_id varchar, url varchar,
    commits jsonb NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_deploy PRIMARY KEY (team_id, id), CONSTRAINT ck_deploy_source CHECK ((source in ('api', 'webhook', 'seen'))),
    CONSTRAINT uq_deploy_team_id_external_id UNIQUE (team_id, external_id),
    CONSTRAINT fk_deploy_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_deploy_team_id_build_id FOREIGN KEY (team_id, build_id) REFERENCES build(team_id, id) ON DELETE SET NULL (build_id),
    CONSTRAINT fk_deploy_team_id_environment_id FOREIGN KEY (team_id, environment_id) REFERENCES environment(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_deploy_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_deploy_newest ON deploy (team_id, created_at, id);
CREATE INDEX ix_deploy_service ON deploy (team_id, service_id, environment_id, started_at);
CREATE INDEX ix_deploy_when ON deploy (team_id, environment_id, started_at);
CREATE TABLE export (
    team_id uuid NOT NULL, id uuid NOT NULL, comparison_id uuid NOT NULL, format varchar NOT NULL, kind varchar, state varchar NOT NULL,
    problem jsonb, job_id uuid, blob_key varchar, file_name varchar, media_type varchar, size_bytes bigint, created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_export PRIMARY KEY (team_id, id),
    CONSTRAINT ck_export_state CHECK ((state in ('waiting', 'running', 'done', 'failed', 'cancelled'))),
    CONSTRAINT fk_export_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_export_team_id_comparison_id FOREIGN KEY (team_id, comparison_id) REFERENCES comparison(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_export_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job(team_id, id) ON DELETE SET NULL (job_id)
);
CREATE TABLE hook_delivery (
    team_id uuid NOT NULL, id uuid NOT NULL, hook_id uuid NOT NULL, delivery_id varchar NOT NULL, sha256 varchar NOT NULL, event varchar NOT NULL,
    size_bytes integer NOT NULL, state varchar NOT NULL, sentence varchar NOT NULL, content bytea, taken_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_hook_delivery PRIMARY KEY (team_id, id),
    CONSTRAINT ck_hook_delivery_state CHECK ((state in ('waiting', 'failed', 'ignored', 'done'))),
    CONSTRAINT uq_hook_delivery_content UNIQUE (team_id, hook_id, event, sha256),
    CONSTRAINT uq_hook_delivery_id UNIQUE (team_id, hook_id, delivery_id),
    CONSTRAINT fk_hook_delivery_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_hook_delivery_team_id_hook_id FOREIGN KEY (team_id, hook_id) REFERENCES hook(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_hook_delivery_newest ON hook_delivery (team_id, hook_id, created_at, id);
CREATE TABLE metric_exemplar (
    team_id uuid NOT NULL, id uuid NOT NULL, series_id bigint NOT NULL, at_ms bigint NOT NULL, value double precision NOT NULL, labels jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_exemplar PRIMARY KEY (team_id, id), CONSTRAINT uq_metric_exemplar_team_id_series_id_at_ms UNIQUE (team_id, series_id, at_ms),
    CONSTRAINT fk_metric_exemplar_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_metric_exemplar_team_id_series_id FOREIGN KEY (team_id, series_id) REFERENCES metric_series(team_id, id) ON DELETE CASCADE
);
CREATE TABLE regression (
    team_id uuid NOT NULL, id uuid NOT NULL, number integer, service_id uuid NOT NULL, branch varchar NOT NULL, state varchar NOT NULL,
    confirmed boolean NOT NULL, title varchar NOT NULL, sentence varchar NOT NULL, kind varchar NOT NULL, subject varchar NOT NULL,
    unit varchar NOT NULL, direction varchar NOT NULL, before double precision, after double precision, ratio double precision,
    ratio_low double precision, ratio_high double precision, since_build_id uuid, since_commit varchar, since_at timestamptz, good_build_id uuid,
    good_commit varchar, first_commit varchar, last_commit varchar, fixed_build_id uuid, fixed_commit varchar, assignee_id uuid, due_on date,
    members jsonb DEFAULT '[]'::jsonb NOT NULL, spark jsonb, needs jsonb, comparison_id uuid, created_by uuid, closed_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_regression PRIMARY KEY (team_id, id), CONSTRAINT ck_regression_direction CHECK ((direction in ('worse', 'better'))),
    CONSTRAINT ck_regression_numbered CHECK ((confirmed = (number IS NOT NULL))),
    CONSTRAINT ck_regression_state CHECK ((state in ('new', 'investigating', 'acknowledged', 'fixed', 'improved', 'not-a-regression', 'ignored'))),
    CONSTRAINT uq_regression_team_id_number UNIQUE (team_id, number),
    CONSTRAINT fk_regression_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_team_id_comparison_id FOREIGN KEY (team_id, comparison_id) REFERENCES comparison(team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_regression_team_id_fixed_build_id FOREIGN KEY (team_id, fixed_build_id) REFERENCES build(team_id, id) ON DELETE SET NULL (fixed_build_id),
    CONSTRAINT fk_regression_team_id_good_build_id FOREIGN KEY (team_id, good_build_id) REFERENCES build(team_id, id) ON DELETE SET NULL (good_build_id),
    CONSTRAINT fk_regression_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_team_id_since_build_id FOREIGN KEY (team_id, since_build_id) REFERENCES build(team_id, id) ON DELETE SET NULL (since_build_id)
);
CREATE INDEX ix_regression_comparison ON regression (team_id, comparison_id);
CREATE INDEX ix_regression_fixed ON regression (team_id, fixed_build_id);
CREATE INDEX ix_regression_good ON regression (team_id, good_build_id);
CREATE INDEX ix_regression_line ON regression (team_id, service_id, branch);
CREATE INDEX ix_regression_newest ON regression (team_id, created_at, id);
CREATE INDEX ix_regression_since ON regression (team_id, since_build_id);
CREATE TABLE benchmark_output (
    team_id uuid NOT NULL, id uuid NOT NULL, results integer NOT NULL, benchmarks integer NOT NULL, units jsonb NOT NULL, warnings jsonb NOT NULL,
    columns_key varchar NOT NULL, columns_bytes bigint NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_benchmark_output PRIMARY KEY (team_id, id),
    CONSTRAINT fk_benchmark_output_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_benchmark_output_team_id_id FOREIGN KEY (team_id, id) REFERENCES artifact(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_benchmark_output_columns ON benchmark_output (team_id, columns_key);
CREATE TABLE bisect (
    team_id uuid NOT NULL, id uuid NOT NULL, number integer NOT NULL, title varchar NOT NULL, service_id uuid NOT NULL, repository_id uuid,
    regression_id uuid, comparison_id uuid, good_sha varchar NOT NULL, bad_sha varchar NOT NULL, state varchar NOT NULL, signature jsonb NOT NULL,
    settings jsonb NOT NULL, plan jsonb, opening varchar, approved integer NOT NULL, pause_reason varchar, outcome jsonb, problem jsonb, seen jsonb,
    created_by uuid, started_at timestamptz, finished_at timestamptz, revision integer NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_bisect PRIMARY KEY (team_id, id),
    CONSTRAINT ck_bisect_state CHECK ((state in ('planned', 'waiting-approval', 'searching', 'paused', 'found', 'not-in-range', 'inseparable', 'stopped', 'cancelled', 'failed'))),
    CONSTRAINT uq_bisect_number UNIQUE (team_id, number),
    CONSTRAINT fk_bisect_created_by FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
    CONSTRAINT fk_bisect_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_team_id_comparison_id FOREIGN KEY (team_id, comparison_id) REFERENCES comparison(team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_bisect_team_id_regression_id FOREIGN KEY (team_id, regression_id) REFERENCES regression(team_id, id) ON DELETE SET NULL (regression_id),
    CONSTRAINT fk_bisect_team_id_repository_id FOREIGN KEY (team_id, repository_id) REFERENCES repository(team_id, id) ON DELETE SET NULL (repository_id),
    CONSTRAINT fk_bisect_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_bisect_comparison ON bisect (team_id, comparison_id);
CREATE INDEX ix_bisect_created_by ON bisect (created_by);
CREATE INDEX ix_bisect_newest ON bisect (team_id, created_at, id);
CREATE INDEX ix_bisect_regression ON bisect (team_id, regression_id);
CREATE INDEX ix_bisect_repository ON bisect (team_id, repository_id);
CREATE INDEX ix_bisect_service ON bisect (team_id, service_id);
CREATE TABLE change_point (
    team_id uuid NOT NULL, id uuid NOT NULL, service_id uuid NOT NULL, branch varchar NOT NULL, kind varchar NOT NULL, subject varchar NOT NULL,
    build_id uuid NOT NULL, good_build_id uuid, confirmed boolean NOT NULL, cause varchar NOT NULL, before double precision NOT NULL,
    after double precision NOT NULL, ratio double precision, ratio_low double precision, ratio_high double precision, score double precision NOT NULL,
    regression_id uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_change_point PRIMARY KEY (team_id, id),
    CONSTRAINT uq_change_point_place UNIQUE (team_id, service_id, branch, kind, subject, build_id),
    CONSTRAINT fk_change_point_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_change_point_team_id_build_id FOREIGN KEY (team_id, build_id) REFERENCES build(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_change_point_team_id_good_build_id FOREIGN KEY (team_id, good_build_id) REFERENCES build(team_id, id) ON DELETE SET NULL (good_build_id),
    CONSTRAINT fk_change_point_team_id_regression_id FOREIGN KEY (team_id, regression_id) REFERENCES regression(team_id, id) ON DELETE SET NULL (regression_id),
    CONSTRAINT fk_change_point_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_change_point_build ON change_point (team_id, build_id);
CREATE INDEX ix_change_point_good ON change_point (team_id, good_build_id);
CREATE INDEX ix_change_point_regression ON change_point (team_id, regression_id);
CREATE TABLE comparison_artifact (
    team_id uuid NOT NULL, id uuid NOT NULL, comparison_id uuid NOT NULL, side varchar NOT NULL, artifact_id uuid NOT NULL, position integer NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_comparison_artifact PRIMARY KEY (team_id, id), CONSTRAINT ck_comparison_artifact_side CHECK ((side in ('base', 'candidate'))),
    CONSTRAINT uq_comparison_artifact_once UNIQUE (team_id, comparison_id, side, artifact_id),
    CONSTRAINT fk_comparison_artifact_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_comparison_artifact_team_id_artifact_id FOREIGN KEY (team_id, artifact_id) REFERENCES artifact(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comparison_artifact_team_id_comparison_id FOREIGN KEY (team_id, comparison_id) REFERENCES comparison(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_comparison_artifact_artifact ON comparison_artifact (team_id, artifact_id);
CREATE TABLE deploy_check (
    team_id uuid NOT NULL, id uuid NOT NULL, deploy_id uuid NOT NULL, service_id uuid NOT NULL, minutes integer NOT NULL, verdict varchar NOT NULL,
    basis varchar NOT NULL, equal_build boolean NOT NULL, log_ratio double precision, said jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_deploy_check PRIMARY KEY (team_id, id), CONSTRAINT ck_deploy_check_basis CHECK ((basis in ('concurrent', 'before-after'))),
    CONSTRAINT ck_deploy_check_verdict CHECK ((verdict in ('slower', 'not-slower', 'cannot-tell'))),
    CONSTRAINT uq_deploy_check_look UNIQUE (team_id, deploy_id, minutes),
    CONSTRAINT fk_deploy_check_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_deploy_check_team_id_deploy_id FOREIGN KEY (team_id, deploy_id) REFERENCES deploy(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_deploy_check_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_deploy_check_service ON deploy_check (team_id, service_id, equal_build, basis);
CREATE TABLE discussion (
    team_id uuid NOT NULL, id uuid NOT NULL, subject_kind varchar NOT NULL, subject_id uuid NOT NULL, part varchar NOT NULL, title varchar NOT NULL,
    path varchar NOT NULL, service_id uuid, comparison_id uuid, regression_id uuid, build_id uuid, artifact_id uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_discussion PRIMARY KEY (team_id, id),
    CONSTRAINT ck_discussion_subject_kind CHECK ((subject_kind in ('finding', 'comparison', 'build', 'report', 'trace', 'span-set', 'regression'))),
    CONSTRAINT uq_discussion_subject UNIQUE (team_id, subject_kind, subject_id, part),
    CONSTRAINT fk_discussion_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_artifact_id FOREIGN KEY (team_id, artifact_id) REFERENCES artifact(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_build_id FOREIGN KEY (team_id, build_id) REFERENCES build(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_comparison_id FOREIGN KEY (team_id, comparison_id) REFERENCES comparison(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_regression_id FOREIGN KEY (team_id, regression_id) REFERENCES regression(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE SET NULL (service_id)
);
CREATE INDEX ix_discussion_artifact ON discussion (team_id, artifact_id);
CREATE INDEX ix_discussion_build ON discussion (team_id, build_id);
CREATE INDEX ix_discussion_comparison ON discussion (team_id, comparison_id);
CREATE INDEX ix_discussion_regression ON discussion (team_id, regression_id);
CREATE INDEX ix_discussion_service ON discussion (team_id, service_id);
CREATE TABLE growth_log (
    team_id uuid NOT NULL, id uuid NOT NULL, dialect varchar NOT NULL, rate bigint NOT NULL, sampled bigint NOT NULL, total bigint,
    duration_ns bigint, columns_key varchar NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_growth_log PRIMARY KEY (team_id, id), CONSTRAINT fk_growth_log_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_growth_log_team_id_id FOREIGN KEY (team_id, id) REFERENCES artifact(team_id, id) ON DELETE CASCADE
);
CREATE TABLE latency_change (
    team_id uuid NOT NULL, id uuid NOT NULL, environment_id uuid NOT NULL, service_id uuid NOT NULL, signal varchar NOT NULL, at_ms bigint NOT NULL,
    low_ms bigint NOT NULL, high_ms bigint NOT NULL, seen_ms bigint NOT NULL, before double precision NOT NULL, after double precision NOT NULL,
    ratio double precision NOT NULL, ratio_low double precision NOT NULL, ratio_high double precision NOT NULL, cause varchar NOT NULL,
    deploy_id uuid, follows_service_id uuid, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_latency_change PRIMARY KEY (team_id, id),
    CONSTRAINT ck_latency_change_cause CHECK ((cause in ('deploy', 'load', 'follows', 'unexplained'))),
    CONSTRAINT ck_latency_change_signal CHECK ((signal in ('p50', 'p90', 'p99', 'mean', 'qps'))),
    CONSTRAINT uq_latency_change_place UNIQUE (team_id, environment_id, service_id, signal, at_ms),
    CONSTRAINT fk_latency_change_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_latency_change_team_id_deploy_id FOREIGN KEY (team_id, deploy_id) REFERENCES deploy(team_id, id) ON DELETE SET NULL (deploy_id),
    CONSTRAINT fk_latency_change_team_id_environment_id FOREIGN KEY (team_id, environment_id) REFERENCES environment(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_latency_change_team_id_follows_service_id FOREIGN KEY (team_id, follows_service_id) REFERENCES service(team_id, id) ON DELETE SET NULL (follows_service_id),
    CONSTRAINT fk_latency_change_team_id_service_id FOREIGN KEY (team_id, service_id) REFERENCES service(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_latency_change_when ON latency_change (team_id, environment_id, at_ms);
CREATE TABLE profile (
    team_id uuid NOT NULL, id uuid NOT NULL, kind varchar NOT NULL, sample_types jsonb NOT NULL, default_sample_type integer NOT NULL,
    period bigint NOT NULL, period_type jsonb NOT NULL, time_ns bigint NOT NULL, duration_ns bigint NOT NULL, mappings jsonb NOT NULL,
    counts jsonb NOT NULL, warnings jsonb NOT NULL, columns_key varchar NOT NULL, columns_bytes bigint NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_profile PRIMARY KEY (team_id, id), CONSTRAINT fk_profile_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_profile_team_id_id FOREIGN KEY (team_id, id) REFERENCES artifact(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_profile_columns ON profile (team_id, columns_key);
CREATE TABLE regression_event (
    team_id uuid NOT NULL, id uuid NOT NULL, regression_id uuid NOT NULL, what varchar NOT NULL, user_id uuid,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_regression_event PRIMARY KEY (team_id, id),
    CONSTRAINT fk_regression_event_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_event_team_id_regression_id FOREIGN KEY (team_id, regression_id) REFERENCES regression(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_regression_event_newest ON regression_event (team_id, regression_id, created_at, id);
CREATE TABLE regression_evidence (
    team_id uuid NOT NULL, id uuid NOT NULL, regression_id uuid NOT NULL, what varchar NOT NULL, comparison_id uuid, build_id uuid,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_regression_evidence PRIMARY KEY (team_id, id), CONSTRAINT ck_regression_evidence_what CHECK ((what in ('comparison', 'proof'))),
    CONSTRAINT fk_regression_evidence_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_evidence_team_id_build_id FOREIGN KEY (team_id, build_id) REFERENCES build(team_id, id) ON DELETE SET NULL (build_id),
    CONSTRAINT fk_regression_evidence_team_id_comparison_id FOREIGN KEY (team_id, comparison_id) REFERENCES comparison(team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_regression_evidence_team_id_regression_id FOREIGN KEY (team_id, regression_id) REFERENCES regression(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_regression_evidence_build ON regression_evidence (team_id, build_id);
CREATE INDEX ix_regression_evidence_comparison ON regression_evidence (team_id, comparison_id);
CREATE INDEX ix_regression_evidence_regression ON regression_evidence (team_id, regression_id);
CREATE TABLE span_set (
    team_id uuid NOT NULL, id uuid NOT NULL, dialect varchar NOT NULL, spans bigint NOT NULL, traces bigint NOT NULL, environment_id uuid,
    began_at timestamptz NOT NULL, ended_at timestamptz NOT NULL, columns_key varchar NOT NULL, columns_bytes bigint NOT NULL,
    page_key varchar NOT NULL, critical_key varchar, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_span_set PRIMARY KEY (team_id, id), CONSTRAINT fk_span_set_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_span_set_team_id_environment_id FOREIGN KEY (team_id, environment_id) REFERENCES environment(team_id, id) ON DELETE SET NULL (environment_id),
    CONSTRAINT fk_span_set_team_id_id FOREIGN KEY (team_id, id) REFERENCES artifact(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_span_set_columns ON span_set (team_id, columns_key);
CREATE INDEX ix_span_set_when ON span_set (team_id, environment_id, ended_at);
CREATE TABLE trace (
    team_id uuid NOT NULL, id uuid NOT NULL, header_version varchar NOT NULL, duration_ns bigint NOT NULL, wall_start_ns bigint,
    events bigint NOT NULL, gomaxprocs integer NOT NULL, recording varchar NOT NULL, lost jsonb, warnings jsonb NOT NULL,
    columns_key varchar NOT NULL, columns_bytes bigint NOT NULL, page_key varchar NOT NULL, tiles_key varchar, tiles jsonb NOT NULL, cpu_key varchar,
    delays_key varchar, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_trace PRIMARY KEY (team_id, id), CONSTRAINT fk_trace_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_trace_team_id_id FOREIGN KEY (team_id, id) REFERENCES artifact(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_trace_columns ON trace (team_id, columns_key);
CREATE TABLE bisect_event (
    team_id uuid NOT NULL, id uuid NOT NULL, bisect_id uuid NOT NULL, at timestamptz NOT NULL, kind varchar NOT NULL, who uuid,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_bisect_event PRIMARY KEY (team_id, id),
    CONSTRAINT fk_bisect_event_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_event_team_id_bisect_id FOREIGN KEY (team_id, bisect_id) REFERENCES bisect(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_event_who FOREIGN KEY (who) REFERENCES app_user(id) ON DELETE SET NULL
);
CREATE INDEX ix_bisect_event_newest ON bisect_event (team_id, bisect_id, created_at, id);
CREATE INDEX ix_bisect_event_who ON bisect_event (who);
CREATE TABLE comment (
    team_id uuid NOT NULL, id uuid NOT NULL, discussion_id uuid NOT NULL, parent_id uuid, author_kind varchar NOT NULL, author_id uuid,
    author_name varchar NOT NULL, text varchar NOT NULL, edited_at timestamptz, deleted_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_comment PRIMARY KEY (team_id, id), CONSTRAINT ck_comment_author_kind CHECK ((author_kind in ('token', 'person'))),
    CONSTRAINT fk_comment_author_id FOREIGN KEY (author_id) REFERENCES app_user(id) ON DELETE SET NULL,
    CONSTRAINT fk_comment_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_comment_team_id_discussion_id FOREIGN KEY (team_id, discussion_id) REFERENCES discussion(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comment_team_id_parent_id FOREIGN KEY (team_id, parent_id) REFERENCES comment(team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_comment_author_id ON comment (author_id);
CREATE INDEX ix_comment_discussion ON comment (team_id, discussion_id, created_at, id);
CREATE INDEX ix_comment_newest ON comment (team_id, created_at, id);
CREATE INDEX ix_comment_parent ON comment (team_id, parent_id);
CREATE TABLE explanation (
    team_id uuid NOT NULL, id uuid NOT NULL, artifact_id uuid NOT NULL, trace_id varchar NOT NULL, span_number integer NOT NULL,
    gap_number integer NOT NULL, state varchar NOT NULL, problem jsonb, job_id uuid, content jsonb, created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_explanation PRIMARY KEY (team_id, id),
    CONSTRAINT ck_explanation_state CHECK ((state in ('waiting', 'running', 'done', 'failed', 'cancelled'))),
    CONSTRAINT uq_explanation_gap UNIQUE (team_id, artifact_id, trace_id, span_number, gap_number),
    CONSTRAINT fk_explanation_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_explanation_team_id_artifact_id FOREIGN KEY (team_id, artifact_id) REFERENCES span_set(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_explanation_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job(team_id, id) ON DELETE SET NULL (job_id)
);
CREATE TABLE probe (
    team_id uuid NOT NULL, id uuid NOT NULL, bisect_id uuid NOT NULL, number integer NOT NULL, run_id uuid NOT NULL, callback_hash bytea NOT NULL,
    build jsonb NOT NULL, candidate varchar NOT NULL, purpose varchar NOT NULL, round integer NOT NULL, about varchar, state varchar NOT NULL,
    runner_id uuid, slot integer, lease_until timestamptz, windows_wanted integer NOT NULL, good integer NOT NULL, bad integer NOT NULL,
    reason varchar, asked_at timestamptz NOT NULL, leased_at timestamptz, deployed_at timestamptz, ready_at timestamptz, ended_at timestamptz,
    log_tail varchar NOT NULL, callback jsonb, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_probe PRIMARY KEY (team_id, id), CONSTRAINT ck_probe_log_tail CHECK ((octet_length((log_tail)::text) <= 8192)),
    CONSTRAINT ck_probe_purpose CHECK ((purpose in ('end', 'control', 'probe', 'verify', 'mark', 'known'))),
    CONSTRAINT ck_probe_state CHECK ((state in ('asked', 'leased', 'deploying', 'warming', 'soaking', 'collecting', 'idle', 'closing', 'done', 'unbuildable', 'unhealthy', 'failed', 'annulled', 'lost'))),
    CONSTRAINT uq_probe_callback_hash UNIQUE (callback_hash), CONSTRAINT uq_probe_number UNIQUE (team_id, bisect_id, number),
    CONSTRAINT uq_probe_run_id UNIQUE (team_id, run_id), CONSTRAINT fk_probe_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_probe_team_id_bisect_id FOREIGN KEY (team_id, bisect_id) REFERENCES bisect(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_probe_team_id_runner_id FOREIGN KEY (team_id, runner_id) REFERENCES runner(team_id, id) ON DELETE SET NULL (runner_id)
);
CREATE INDEX ix_probe_asked ON probe (team_id, asked_at) WHERE ((state)::text = 'asked'::text);
CREATE INDEX ix_probe_runner ON probe (team_id, runner_id);
CREATE UNIQUE INDEX uq_probe_slot ON probe (team_id, runner_id, slot) WHERE ((runner_id IS NOT NULL) AND (ended_at IS NULL));
CREATE TABLE trace_cut (
    team_id uuid NOT NULL, id uuid NOT NULL, artifact_id uuid NOT NULL, from_ns bigint NOT NULL, to_ns bigint NOT NULL, state varchar NOT NULL,
    problem jsonb, job_id uuid, blob_key varchar, size_bytes bigint, file_name varchar, created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_trace_cut PRIMARY KEY (team_id, id),
    CONSTRAINT ck_trace_cut_state CHECK ((state in ('waiting', 'running', 'done', 'failed', 'cancelled'))),
    CONSTRAINT fk_trace_cut_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_trace_cut_team_id_artifact_id FOREIGN KEY (team_id, artifact_id) REFERENCES trace(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_trace_cut_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job(team_id, id) ON DELETE SET NULL (job_id)
);
CREATE INDEX ix_trace_cut_artifact ON trace_cut (team_id, artifact_id);
CREATE TABLE mention (
    team_id uuid NOT NULL, id uuid NOT NULL, discussion_id uuid NOT NULL, comment_id uuid NOT NULL, user_id uuid NOT NULL, read_at timestamptz,
    mail_begun_at timestamptz, mailed_at timestamptz, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_mention PRIMARY KEY (team_id, id), CONSTRAINT uq_mention_once UNIQUE (team_id, comment_id, user_id),
    CONSTRAINT fk_mention_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_mention_team_id_comment_id FOREIGN KEY (team_id, comment_id) REFERENCES comment(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_mention_team_id_discussion_id FOREIGN KEY (team_id, discussion_id) REFERENCES discussion(team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_mention_user_id FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX ix_mention_discussion ON mention (team_id, discussion_id);
CREATE INDEX ix_mention_newest ON mention (team_id, user_id, created_at, id);
CREATE INDEX ix_mention_user_id ON mention (user_id);
CREATE TABLE probe_window (
    team_id uuid NOT NULL, id uuid NOT NULL, probe_id uuid NOT NULL, index integer NOT NULL, round integer NOT NULL, value double precision,
    verdict varchar, problem varchar, annulled boolean NOT NULL, artifact_ids jsonb NOT NULL, started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL, requests bigint,
    CONSTRAINT pk_probe_window PRIMARY KEY (team_id, id), CONSTRAINT ck_probe_window_verdict CHECK ((verdict in ('slower', 'not-slower'))),
    CONSTRAINT uq_probe_window_index UNIQUE (team_id, probe_id, index),
    CONSTRAINT fk_probe_window_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_probe_window_team_id_probe_id FOREIGN KEY (team_id, probe_id) REFERENCES probe(team_id, id) ON DELETE CASCADE
);
ALTER TABLE artifact ADD CONSTRAINT fk_artifact_team_id_build_id FOREIGN KEY (team_id, build_id) REFERENCES build(team_id, id) ON DELETE CASCADE NOT VALID;

CREATE SCHEMA metric_parts;
CREATE TABLE metric_parts.chunk_other PARTITION OF metric_chunk DEFAULT;
DO $do$
DECLARE
    team CONSTANT text := '(nullif(current_setting(''slowpath.team_id'', true), '''')::uuid)';
    month timestamp;
    name text;
BEGIN
    FOR month IN SELECT generate_series(timestamp '2026-01-01', timestamp '2030-12-01', '1 month') LOOP
        EXECUTE format('CREATE TABLE metric_parts.%I PARTITION OF metric_chunk FOR VALUES FROM (%s) TO (%s)',
            to_char(month, '"chunk_"YYYY_MM'), (extract(epoch FROM month) / 3600)::integer,
            (extract(epoch FROM month + interval '1 month') / 3600)::integer);
    END LOOP;
    FOR name IN SELECT oid::regclass FROM pg_class
        WHERE relkind IN ('r', 'p') AND relnamespace IN ('public'::regnamespace, 'metric_parts'::regnamespace) LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    END LOOP;
    FOR name IN SELECT attrelid::regclass FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND attname = 'team_id' LOOP
        EXECUTE format('CREATE POLICY team ON %s FOR ALL TO slowpath_app USING (team_id = %s) WITH CHECK (team_id = %s)', name, team, team);
    END LOOP;
END $do$;
CREATE POLICY keeper ON api_token FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY colleague ON app_user FOR SELECT TO slowpath_app USING ((EXISTS ( SELECT FROM membership WHERE ((membership.user_id = app_user.id) AND (membership.team_id = (NULLIF(current_setting('slowpath.team_id', true), ''))::uuid)))));
CREATE POLICY keeper ON app_user FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY person ON app_user FOR ALL TO slowpath_app USING ((id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid)) WITH CHECK ((id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid));
CREATE POLICY keeper ON audit_event FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY keeper ON hook FOR SELECT TO slowpath_keeper USING (true);
CREATE POLICY keeper ON idempotent_request FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY keeper ON invitation FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY keeper ON job FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY keeper ON membership FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY keeper ON metric_settings FOR SELECT TO slowpath_keeper USING (true);
CREATE POLICY keeper ON password_reset FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY person ON password_reset FOR ALL TO slowpath_app USING ((user_id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid)) WITH CHECK ((user_id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid));
CREATE POLICY keeper ON probe FOR SELECT TO slowpath_keeper USING (true);
CREATE POLICY keeper ON service_account FOR SELECT TO slowpath_keeper USING (true);
CREATE POLICY keeper ON share_link FOR SELECT TO slowpath_keeper USING (true);
CREATE POLICY keeper ON sharing FOR SELECT TO slowpath_keeper USING (true);
CREATE POLICY keeper ON team FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY team ON team FOR ALL TO slowpath_app USING ((id = (NULLIF(current_setting('slowpath.team_id', true), ''))::uuid)) WITH CHECK ((id = (NULLIF(current_setting('slowpath.team_id', true), ''))::uuid));
CREATE POLICY keeper ON upload FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY keeper ON user_password FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY person ON user_password FOR ALL TO slowpath_app USING ((user_id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid)) WITH CHECK ((user_id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid));
CREATE POLICY keeper ON user_session FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY person ON user_session FOR ALL TO slowpath_app USING ((user_id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid)) WITH CHECK ((user_id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid));
CREATE POLICY keeper ON user_sign_in FOR ALL TO slowpath_keeper USING (true) WITH CHECK (true);
CREATE POLICY person ON user_sign_in FOR ALL TO slowpath_app USING ((user_id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid)) WITH CHECK ((user_id = (NULLIF(current_setting('slowpath.user_id', true), ''))::uuid));
GRANT DELETE ON app_user TO slowpath_keeper;
GRANT INSERT, SELECT ON audit_event TO slowpath_app;
GRANT DELETE ON audit_event TO slowpath_keeper;
GRANT DELETE ON idempotent_request TO slowpath_keeper;
GRANT DELETE, INSERT, SELECT ON job TO slowpath_keeper;
GRANT DELETE, INSERT, SELECT, UPDATE ON password_reset TO slowpath_keeper;
GRANT DELETE, INSERT, SELECT, UPDATE ON annotation, api_token, app_user, artifact, benchmark_output, bisect, bisect_event, board_order,
    build, build_judgement, build_measure, change_point, channel, comment, commit, commit_closure, commit_diff, commit_word, comparison,
    comparison_artifact, comparison_view, deploy, deploy_check, derived_sum, discussion, environment, explanation, export, growth_log, hook,
    hook_delivery, idempotent_request, invitation, job, latency_change, membership, mention, message, metric_chunk, metric_exemplar,
    metric_rule, metric_series, metric_settings, metric_source, metric_tail, metric_watch, password_reset, probe, probe_window, profile,
    read_through, regression, regression_event, regression_evidence, report, report_version, repository, retention_rule, runner, service,
    service_account, service_edge, service_repository, share_link, sharing, span_push, span_set, storage_count, team, team_export, trace,
    trace_cut, upload, upload_part, usage_day, user_password, user_session, user_sign_in, watched_series TO slowpath_app;
GRANT SELECT (team_id, id, secret_hash, scopes, expires_at, last_used_at, revoked_at, service_account_id, requests_per_minute, uploads_per_minute), UPDATE (last_used_at) ON api_token TO slowpath_keeper;
GRANT SELECT (id, email, email_key, name) ON app_user TO slowpath_keeper;
GRANT INSERT (team_id, id, actor_id, actor_kind, actor_name, action, subject_kind, subject_id, facts), SELECT (team_id, created_at) ON audit_event TO slowpath_keeper;
GRANT SELECT (team_id, id, kind, sealed) ON hook TO slowpath_keeper;
GRANT SELECT (created_at) ON idempotent_request TO slowpath_keeper;
GRANT SELECT (team_id, id, role, email, secret_hash, expires_at, accepted_at, mail_secret_hash) ON invitation TO slowpath_keeper;
GRANT UPDATE (state, attempts, due_at, sends, fence, lease_until, progress, step, started_at, finished_at, worker) ON job TO slowpath_keeper;
GRANT SELECT (team_id, user_id, role, created_at) ON membership TO slowpath_keeper;
GRANT SELECT (retention_days) ON metric_settings TO slowpath_keeper;
GRANT SELECT (team_id, id, callback_hash) ON probe TO slowpath_keeper;
GRANT SELECT (team_id, id, role, disabled_at) ON service_account TO slowpath_keeper;
GRANT SELECT (team_id, id, report_id, secret_hash, expires_at, revoked_at) ON share_link TO slowpath_keeper;
GRANT SELECT (team_id, links_allowed) ON sharing TO slowpath_keeper;
GRANT SELECT (id, slug, name, deleted_at, work_seconds, work_at), UPDATE (deleted_at, work_seconds, work_at) ON team TO slowpath_keeper;
GRANT SELECT (team_id, id, expires_at) ON upload TO slowpath_keeper;
GRANT SELECT (user_id, hash) ON user_password TO slowpath_keeper;
GRANT SELECT (id, user_id, secret_hash, last_seen_at, expires_at), UPDATE (last_seen_at, expires_at) ON user_session TO slowpath_keeper;
GRANT SELECT (id, user_id, issuer, subject), UPDATE (email, last_used_at) ON user_sign_in TO slowpath_keeper;

CREATE SCHEMA door;
GRANT USAGE ON SCHEMA door TO slowpath_cross_team, slowpath_keeper;

CREATE FUNCTION door.ask_password_reset(sought varchar, reset uuid, asked_at timestamptz, ends_at timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
    ELSIF person IS NOT NULL THEN
        INSERT INTO public.password_reset (id, user_id, expires_at, letter_due_at)
            VALUES (reset, person, ends_at, asked_at);
    END IF;
END
$$;
CREATE FUNCTION door.beat_job(sought uuid, held bigint, lease interval, reached double precision, doing varchar) RETURNS TABLE(cancel_asked boolean) LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job AS beating
    SET lease_until = clock_timestamp() + lease, due_at = clock_timestamp() + lease, progress = reached, step = doing
    WHERE beating.id = sought AND beating.fence = held AND beating.state = 'running'
    RETURNING beating.cancel_asked
$$;
CREATE FUNCTION door.charge_team(charged uuid, seconds double precision) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.team
    SET work_seconds = seconds + work_seconds * 0.5 ^ (extract(epoch FROM clock_timestamp() - work_at) / 60),
        work_at = clock_timestamp()
    WHERE id = charged
$$;
CREATE FUNCTION door.claim_job(sought uuid, lease interval) RETURNS TABLE(team_id uuid, fence bigint, name varchar, payload jsonb, attempts integer, max_attempts integer, created_by uuid, cancel_asked boolean) LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job AS claimed
    SET state = 'running', fence = claimed.fence + 1, attempts = claimed.attempts + 1, sends = 0,
        lease_until = clock_timestamp() + lease, due_at = clock_timestamp() + lease,
        started_at = coalesce(claimed.started_at, clock_timestamp()), finished_at = NULL
    WHERE claimed.id = sought AND claimed.not_before <= clock_timestamp()
        AND (claimed.state = 'waiting' OR (claimed.state = 'running' AND claimed.lease_until < clock_timestamp()))
    RETURNING claimed.team_id, claimed.fence, claimed.name, claimed.payload,
        claimed.attempts, claimed.max_attempts, claimed.created_by, claimed.cancel_asked
$$;
CREATE FUNCTION door.claim_next_job(nudged uuid, by_worker varchar, slots integer, lease interval) RETURNS TABLE(job_id uuid, team_id uuid, fence bigint, name varchar, payload jsonb, attempts integer, max_attempts integer, created_by uuid, cancel_asked boolean) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
    )
, running AS (
            SELECT job.team_id, count(*) AS everywhere, count(*) FILTER (WHERE job.worker = by_worker) AS here
            FROM public.job AS job WHERE job.state = 'running' AND job.lease_until > clock_timestamp() GROUP BY job.team_id
        ), waiting AS (
            SELECT team.team_id, next.id, next.priority, next.not_before
            FROM team CROSS JOIN LATERAL (
                SELECT job.id, job.priority, job.not_before
                FROM (VALUES (0), (1), (2), (3)) AS class (priority)
                CROSS JOIN LATERAL (
                    SELECT one.id, one.priority, one.not_before FROM public.job AS one
                    WHERE one.team_id = team.team_id AND one.state = 'waiting' AND one.priority = class.priority
                        AND one.not_before <= clock_timestamp()
                    ORDER BY one.not_before LIMIT 1
                ) AS job
                ORDER BY job.priority LIMIT 1
            ) AS next
            WHERE team.team_id IS NOT NULL
        )
        SELECT lost.team_id, lost.id, -1 AS everywhere, lost.priority, 0::double precision AS spent, lost.not_before
        FROM public.job AS lost
        WHERE lost.id = nudged AND lost.state = 'running' AND lost.lease_until < clock_timestamp()
            AND lost.not_before <= clock_timestamp()
        UNION ALL
        SELECT waiting.team_id, waiting.id, coalesce(running.everywhere, 0), waiting.priority,
            team.work_seconds * 0.5 ^ (extract(epoch FROM clock_timestamp() - team.work_at) / 60),
            waiting.not_before
        FROM waiting JOIN public.team AS team ON team.id = waiting.team_id
            LEFT JOIN running ON running.team_id = waiting.team_id
        WHERE coalesce(running.here, 0) < greatest(slots - 1, 1)
        ORDER BY 3, 4, 5, 6
    LOOP
        RETURN QUERY
            UPDATE public.job AS claimed
            SET state = 'running', fence = claimed.fence + 1, attempts = claimed.attempts + 1, sends = 0,
                lease_until = clock_timestamp() + lease, due_at = clock_timestamp() + lease, worker = by_worker,
                started_at = coalesce(claimed.started_at, clock_timestamp()), finished_at = NULL
            WHERE claimed.team_id = candidate.team_id AND claimed.id = candidate.id
                AND claimed.not_before <= clock_timestamp()
                AND (claimed.state = 'waiting' OR (claimed.state = 'running' AND claimed.lease_until < clock_timestamp()))
            RETURNING claimed.id, claimed.team_id, claimed.fence, claimed.name, claimed.payload,
                claimed.attempts, claimed.max_attempts, claimed.created_by, claimed.cancel_asked;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
END
$$;
CREATE FUNCTION door.closed_teams_of(sought uuid) RETURNS TABLE(team_id uuid, slug varchar, name varchar, deleted_at timestamptz) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT team.id, team.slug, team.name, team.deleted_at
    FROM public.membership JOIN public.team ON team.id = membership.team_id
    WHERE membership.user_id = sought AND membership.role = 'owner' AND team.deleted_at IS NOT NULL
    ORDER BY team.deleted_at DESC LIMIT 100
$$;
CREATE FUNCTION door.delete_person(sought uuid) RETURNS TABLE(team_id uuid, name varchar) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION door.draw_password_reset(reset uuid, hash bytea, drawn_at timestamptz) RETURNS TABLE(email varchar, name varchar) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION door.due_jobs(most integer) RETURNS TABLE(job_id uuid, queue varchar) LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION door.find_hook(sought uuid) RETURNS TABLE(team_id uuid, kind varchar, sealed bytea) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.kind, found.sealed
    FROM public.hook AS found JOIN public.team ON team.id = found.team_id
    WHERE found.id = sought AND team.deleted_at IS NULL
$$;
CREATE FUNCTION door.find_invitation(sought bytea) RETURNS TABLE(invitation_id uuid, team_id uuid, team_slug varchar, team_name varchar, role varchar, email varchar, expires_at timestamptz, accepted_at timestamptz) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.id, found.team_id, team.slug, team.name, found.role, found.email, found.expires_at, found.accepted_at
    FROM public.invitation AS found JOIN public.team ON team.id = found.team_id
    WHERE (found.secret_hash = sought OR found.mail_secret_hash = sought) AND team.deleted_at IS NULL
$$;
CREATE FUNCTION door.find_password_reset(sought bytea, at timestamptz) RETURNS TABLE(reset_id uuid, user_id uuid) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT asked.id, asked.user_id FROM public.password_reset AS asked
    WHERE asked.secret_hash = sought AND asked.used_at IS NULL AND asked.expires_at > at
$$;
CREATE FUNCTION door.find_person(sought varchar) RETURNS TABLE(user_id uuid, email varchar, name varchar, password_hash varchar) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT person.id, person.email, person.name, kept.hash
    FROM public.app_user AS person LEFT JOIN public.user_password AS kept ON kept.user_id = person.id
    WHERE person.email_key = sought
$$;
CREATE FUNCTION door.find_probe(sought bytea) RETURNS TABLE(team_id uuid, probe_id uuid) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.id FROM public.probe AS found JOIN public.team ON team.id = found.team_id
    WHERE found.callback_hash = sought AND team.deleted_at IS NULL
$$;
CREATE FUNCTION door.find_session(sought bytea, seen_at timestamptz, touch_before timestamptz, ends_at timestamptz) RETURNS TABLE(session_id uuid, user_id uuid, email varchar, name varchar, teams jsonb) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.user_session AS touched SET last_seen_at = seen_at, expires_at = ends_at
    WHERE touched.secret_hash = sought AND touched.expires_at > seen_at AND touched.last_seen_at < touch_before;
    RETURN QUERY
        SELECT found.id, person.id, person.email, person.name, door.teams_of(person.id)
        FROM public.user_session AS found JOIN public.app_user AS person ON person.id = found.user_id
        WHERE found.secret_hash = sought AND found.expires_at > seen_at;
END
$$;
CREATE FUNCTION door.find_share_link(sought bytea) RETURNS TABLE(team_id uuid, link_id uuid, report_id uuid, expires_at timestamptz, revoked_at timestamptz, allowed boolean) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.id, found.report_id, found.expires_at, found.revoked_at,
        coalesce((SELECT switch.links_allowed FROM public.sharing AS switch WHERE switch.team_id = found.team_id), true)
    FROM public.share_link AS found JOIN public.team ON team.id = found.team_id
    WHERE found.secret_hash = sought AND team.deleted_at IS NULL
$$;
CREATE FUNCTION door.find_sign_in(its_issuer varchar, its_subject varchar, told_email varchar, seen_at timestamptz) RETURNS TABLE(user_id uuid, email varchar, name varchar) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.user_sign_in AS touched SET last_used_at = seen_at, email = told_email
    WHERE touched.issuer = its_issuer AND touched.subject = its_subject;
    RETURN QUERY
        SELECT person.id, person.email, person.name
        FROM public.user_sign_in AS found JOIN public.app_user AS person ON person.id = found.user_id
        WHERE found.issuer = its_issuer AND found.subject = its_subject;
END
$$;
CREATE FUNCTION door.find_team(sought varchar) RETURNS TABLE(team_id uuid) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT team.id FROM public.team WHERE team.slug = sought AND team.deleted_at IS NULL
$$;
CREATE FUNCTION door.find_token(sought bytea, seen_at timestamptz, touch_before timestamptz) RETURNS TABLE(token_id uuid, team_id uuid, scopes varchar[], expires_at timestamptz, revoked_at timestamptz) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION door.find_token_with_account(sought bytea, seen_at timestamptz, touch_before timestamptz) RETURNS TABLE(token_id uuid, team_id uuid, scopes varchar[], expires_at timestamptz, revoked_at timestamptz, requests_per_minute integer, uploads_per_minute integer, account_id uuid, account_role varchar, account_disabled_at timestamptz) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION door.first_metric_hour() RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT (floor(extract(epoch FROM clock_timestamp()) / 3600) - 24 * coalesce(max(retention_days), 1000))::integer
    FROM public.metric_settings
$$;
CREATE FUNCTION door.forget_audit(whose uuid, before timestamptz) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.audit_event
        WHERE audit_event.team_id = whose AND audit_event.created_at < before
            AND audit_event.created_at < clock_timestamp() - interval '365 days'
        RETURNING 1
    )
    SELECT count(*) FROM gone
$$;
CREATE FUNCTION door.hurry_jobs(queues varchar[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job SET due_at = clock_timestamp()
    WHERE state = 'waiting' AND queue = ANY (queues) AND sends > 0
        AND due_at > clock_timestamp() AND not_before <= clock_timestamp()
$$;
CREATE FUNCTION door.job_load() RETURNS TABLE(queue varchar, state varchar, jobs bigint, oldest_s double precision) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT job.queue, job.state, count(*), extract(epoch FROM clock_timestamp() - min(job.created_at))::double precision
    FROM public.job WHERE job.state IN ('waiting', 'running') GROUP BY job.queue, job.state
$$;
CREATE FUNCTION door.jobs_to_nudge(most integer, in_flight integer) RETURNS TABLE(job_id uuid, queue varchar, again boolean) LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE team (team_id) AS (
        (SELECT first.team_id FROM public.job AS first WHERE first.state = 'waiting' ORDER BY first.team_id LIMIT 1)
        UNION ALL
        SELECT (
            SELECT next.team_id FROM public.job AS next
            WHERE next.state = 'waiting' AND next.team_id > team.team_id ORDER BY next.team_id LIMIT 1
        ) FROM team WHERE team.team_id IS NOT NULL
    )
, left_behind AS (
        SELECT job.team_id, job.id FROM public.job AS job
        WHERE job.state = 'running' AND job.due_at <= clock_timestamp()
        ORDER BY job.due_at LIMIT most FOR UPDATE SKIP LOCKED
    ), due AS (
        SELECT team.team_id, picked.id FROM team CROSS JOIN LATERAL (
            SELECT job.id FROM public.job AS job
            WHERE job.team_id = team.team_id AND job.state = 'waiting' AND job.due_at <= clock_timestamp()
            ORDER BY job.due_at
            LIMIT in_flight - (
                SELECT count(*) FROM (
                    SELECT FROM public.job AS sent
                    WHERE sent.team_id = team.team_id AND sent.state = 'waiting' AND sent.due_at > clock_timestamp()
                        AND sent.due_at <= clock_timestamp() + interval '20 seconds' AND sent.sends > 0
                    LIMIT in_flight
                ) AS outstanding
            )
            FOR UPDATE SKIP LOCKED
        ) AS picked LIMIT most
    )
    UPDATE public.job AS sent
    SET sends = sent.sends + 1,
        due_at = clock_timestamp() + make_interval(
            secs => least(CASE sent.state WHEN 'running' THEN 5 ELSE 20 END, 2.5 * 2 ^ least(sent.sends, 10)))
    FROM (SELECT * FROM left_behind UNION ALL SELECT * FROM due) AS chosen
    WHERE sent.team_id = chosen.team_id AND sent.id = chosen.id
    RETURNING sent.id, sent.queue, sent.state = 'running'
$$;
CREATE FUNCTION door.jobs_to_send(most integer) RETURNS TABLE(job_id uuid, queue varchar, again boolean) LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job AS sent
    SET sends = sent.sends + 1,
        due_at = clock_timestamp() + make_interval(
            secs => least(CASE sent.state WHEN 'running' THEN 5 ELSE 20 END, 2.5 * 2 ^ least(sent.sends, 10)))
    FROM (
        SELECT team_id, id FROM public.job
        WHERE state IN ('waiting', 'running') AND due_at <= clock_timestamp()
        ORDER BY due_at LIMIT most FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE sent.team_id = due.team_id AND sent.id = due.id
    RETURNING sent.id, sent.queue, sent.state = 'running'
$$;
CREATE FUNCTION door.keep_house(every interval) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION door.reset_letter_sent(reset uuid) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.password_reset SET letter_due_at = NULL WHERE id = reset
$$;
CREATE FUNCTION door.take_reset_letter(at timestamptz, again_at timestamptz) RETURNS uuid LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.password_reset SET letter_due_at = again_at
    WHERE id = (
        SELECT id FROM public.password_reset
        WHERE letter_due_at <= at AND used_at IS NULL AND expires_at > at
        ORDER BY letter_due_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id
$$;
CREATE FUNCTION door.teams_of(sought uuid) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION door.tidy() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION door.tidy_metric_parts(months integer) RETURNS TABLE(part text, fate text) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    least_hour integer := door.first_metric_hour();
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
        EXECUTE format('CREATE TABLE metric_parts.%I (LIKE public.metric_chunk INCLUDING DEFAULTS INCLUDING STORAGE)', part);
        -- What came before its month was made lies in the last partition, of every team: the owner moves it without a look.
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
            AND substring(pg_get_expr(child.relpartbound, child.oid) FROM 'TO \(''?(-?[0-9]+)''?\)')::integer <= least_hour
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
CREATE FUNCTION door.unsent_job(sought uuid) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.job SET sends = greatest(sends - 1, 0), due_at = clock_timestamp()
    WHERE id = sought AND (state = 'waiting' OR (state = 'running' AND lease_until < clock_timestamp()))
$$;
CREATE FUNCTION public.tell_bisect() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', NEW.team_id, 'kind', 'bisect', 'id', NEW.id, 'revision', NEW.revision)::text);
    RETURN NULL;
END
$$;
CREATE FUNCTION public.tell_job() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION public.tell_news() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', coalesce(NEW.team_id, OLD.team_id), 'kind', TG_ARGV[0])::text);
    RETURN NULL;
END
$$;
CREATE FUNCTION public.tell_subject() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', NEW.team_id, 'kind', TG_ARGV[0], 'id', NEW.id, 'state', NEW.state)::text);
    RETURN NULL;
END
$$;
GRANT CREATE ON SCHEMA door TO slowpath_keeper;
DO $do$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'door'::regnamespace LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
        IF name <> 'door.first_metric_hour()' THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO slowpath_cross_team', name);
        END IF;
        IF name <> 'door.tidy_metric_parts(integer)' THEN
            EXECUTE format('ALTER FUNCTION %s OWNER TO slowpath_keeper', name);
        END IF;
    END LOOP;
END $do$;
REVOKE CREATE ON SCHEMA door FROM slowpath_keeper;
SET LOCAL ROLE slowpath_keeper;
GRANT EXECUTE ON FUNCTION door.first_metric_hour() TO slowpath_owner;
RESET ROLE;
CREATE TRIGGER tell AFTER INSERT ON regression_event FOR EACH ROW EXECUTE FUNCTION tell_news('regression');
CREATE TRIGGER tell AFTER INSERT OR DELETE OR UPDATE ON build FOR EACH ROW EXECUTE FUNCTION tell_news('build');
CREATE TRIGGER tell AFTER INSERT OR DELETE OR UPDATE ON comment FOR EACH ROW EXECUTE FUNCTION tell_news('comment');
CREATE TRIGGER tell AFTER INSERT OR DELETE OR UPDATE ON regression FOR EACH ROW EXECUTE FUNCTION tell_news('regression');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF read_at ON mention FOR EACH ROW EXECUTE FUNCTION tell_news('mention');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF revision ON bisect FOR EACH ROW EXECUTE FUNCTION tell_bisect();
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON artifact FOR EACH ROW EXECUTE FUNCTION tell_subject('artifact');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON comparison FOR EACH ROW EXECUTE FUNCTION tell_subject('comparison');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON comparison_view FOR EACH ROW EXECUTE FUNCTION tell_subject('view');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON explanation FOR EACH ROW EXECUTE FUNCTION tell_subject('explanation');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON export FOR EACH ROW EXECUTE FUNCTION tell_subject('export');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON team_export FOR EACH ROW EXECUTE FUNCTION tell_subject('team-export');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON trace_cut FOR EACH ROW EXECUTE FUNCTION tell_subject('trace_cut');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state, progress, step, cancel_asked ON job FOR EACH ROW EXECUTE FUNCTION tell_job();
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state, sentence ON build_judgement FOR EACH ROW EXECUTE FUNCTION tell_news('regression');
CREATE TRIGGER tell_activity AFTER INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION tell_news('activity');
CREATE TRIGGER tell_activity AFTER INSERT ON bisect_event FOR EACH ROW EXECUTE FUNCTION tell_news('activity');
CREATE TRIGGER tell_activity AFTER INSERT ON deploy FOR EACH ROW EXECUTE FUNCTION tell_news('activity');
CREATE TRIGGER tell_activity AFTER INSERT ON regression_event FOR EACH ROW EXECUTE FUNCTION tell_news('activity');

CREATE TABLE alembic_version (version_num varchar(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO alembic_version VALUES ('20261122_0500');
