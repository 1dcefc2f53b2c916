-- What a new database has beside the tables of the code: partitions, row-level security, grants, functions, triggers.
--
-- env.py creates the tables from `slowpath.metadata`, runs this file as slowpath_owner, and stamps the newest version.
-- A version that changes one of these changes this file too; a test compares a new database with a migrated one.

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
        'ci_trust', 'federated_service', 'metric_settings', 'probe', 'provisioned_member', 'service_account', 'share_link', 'share_settings', 'webhook'
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
GRANT SELECT (team_id, id, user_id, address_key, claimed_at, is_active, created_at) ON provisioned_member
    TO slowpath_keeper;
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

CREATE FUNCTION cross_team.list_unclaimed_members(sought varchar, at timestamptz)
    RETURNS TABLE (team_id uuid, member_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.team_id, found.id
    FROM public.provisioned_member AS found JOIN public.team ON team.id = found.team_id
    WHERE found.address_key = sought AND found.is_active AND (found.claimed_at IS NULL OR found.user_id IS NULL)
        AND team.deleted_at IS NULL
        AND EXISTS (
            SELECT FROM public.api_token AS token
            WHERE token.team_id = found.team_id AND 'scim' = ANY (token.scopes) AND token.revoked_at IS NULL
                AND (token.expires_at IS NULL OR token.expires_at > at)
        )
    ORDER BY found.created_at, found.team_id LIMIT 50
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
