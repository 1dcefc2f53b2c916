-- The database roles of Slowpath. Run once by a superuser, inside the database that Slowpath uses; running it again
-- changes nothing. Needs PostgreSQL 16 or newer. Passwords are set apart from it:
--     ALTER ROLE slowpath_owner PASSWORD '...';  ALTER ROLE slowpath_app PASSWORD '...';
--
--   slowpath_owner   signs in for migrations only (MIGRATE_DATABASE_URL); owns the tables
--   slowpath_app     signs in as the app (DATABASE_URL); owns nothing, row-level security applies to it
--   slowpath_cross_team  cannot sign in; the app assumes it to call the functions of the schema `cross_team`
--   slowpath_keeper  cannot sign in; owns those functions and reads only the columns they need, of every team

DO $$
DECLARE
    plain CONSTANT text := 'NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
    name text;
    kind text;
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'slowpath_door')
        AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'slowpath_cross_team') THEN  -- its name before version 2026-11-23
        ALTER ROLE slowpath_door RENAME TO slowpath_cross_team;
    END IF;
    FOR name, kind IN VALUES
        ('slowpath_owner', 'LOGIN'), ('slowpath_app', 'LOGIN'), ('slowpath_cross_team', 'NOLOGIN'), ('slowpath_keeper', 'NOLOGIN')
    LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I %s %s', name, kind, plain);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            EXECUTE format('ALTER ROLE %I %s %s', name, kind, plain);
        END;
    END LOOP;
    -- As in adapters/postgres.py, for connections of a pooler, which cannot set them.
    ALTER ROLE slowpath_app SET statement_timeout = '30s';
    ALTER ROLE slowpath_app SET idle_in_transaction_session_timeout = '60s';
    EXECUTE format('ALTER DATABASE %I OWNER TO slowpath_owner', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO slowpath_app', current_database());
END
$$;

-- The app must assume the role explicitly (SET LOCAL ROLE); it has none of its rights otherwise.
GRANT slowpath_cross_team TO slowpath_app WITH INHERIT FALSE, SET TRUE;
-- The owner hands functions to the keeper in migrations, and has none of its rights otherwise.
GRANT slowpath_keeper TO slowpath_owner WITH INHERIT FALSE, SET TRUE;

ALTER SCHEMA public OWNER TO slowpath_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO slowpath_app, slowpath_keeper;
