-- The database roles of Slowpath. Run once by a superuser, inside the database that Slowpath uses; running it again
-- changes nothing. Needs PostgreSQL 16 or newer. Passwords are set apart from it:
--     ALTER ROLE slowpath_owner PASSWORD '...';  ALTER ROLE slowpath_app PASSWORD '...';
--
--   slowpath_owner   signs in for migrations only (MIGRATE_DATABASE_URL); owns the tables
--   slowpath_app     signs in as the app (DATABASE_URL); owns nothing, row-level security applies to it
--   slowpath_door    nobody signs in; the app steps into it to call the few functions of the schema `door`
--   slowpath_keeper  nobody signs in; owns those functions, and sees just the columns they need, of every team

DO $$
DECLARE
    plain CONSTANT text := 'NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
    name text;
    kind text;
BEGIN
    FOR name, kind IN VALUES
        ('slowpath_owner', 'LOGIN'), ('slowpath_app', 'LOGIN'), ('slowpath_door', 'NOLOGIN'), ('slowpath_keeper', 'NOLOGIN')
    LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I %s %s', name, kind, plain);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            EXECUTE format('ALTER ROLE %I %s %s', name, kind, plain);
        END;
    END LOOP;
    EXECUTE format('ALTER DATABASE %I OWNER TO slowpath_owner', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO slowpath_app', current_database());
END
$$;

-- The app must step into the door on purpose (SET LOCAL ROLE); it has none of its rights otherwise.
GRANT slowpath_door TO slowpath_app WITH INHERIT FALSE, SET TRUE;
-- The owner hands functions to the keeper in migrations, and has none of its rights otherwise.
GRANT slowpath_keeper TO slowpath_owner WITH INHERIT FALSE, SET TRUE;

ALTER SCHEMA public OWNER TO slowpath_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO slowpath_app, slowpath_keeper;
