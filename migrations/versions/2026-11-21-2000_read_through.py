"""Services may be read through to a source; a source's last check is kept; months of samples come and go by themselves.

Adds a table, a column and functions; older code does not see them. `door.tidy_metric_parts` belongs to the owner, as the
partitions do: it makes those of the months that are kept and to come, and drops those of which no team keeps anything.
"""

from alembic import op

revision = "20261121_2000"
down_revision = "20261121_1950"
branch_labels = None
depends_on = None

TABLES = """
ALTER TABLE metric_source ADD COLUMN last_check jsonb;

CREATE TABLE read_through (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    source_id uuid NOT NULL,
    service_id uuid NOT NULL,
    environment_id uuid NOT NULL,
    equal jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_read_through PRIMARY KEY (team_id, id),
    CONSTRAINT uq_read_through_place UNIQUE (team_id, environment_id, service_id),
    CONSTRAINT fk_read_through_team_id_source_id FOREIGN KEY (team_id, source_id)
        REFERENCES metric_source (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_read_through_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_read_through_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_read_through_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_read_through_source ON read_through (team_id, source_id, created_at, id);
CREATE INDEX ix_read_through_service ON read_through (team_id, service_id);

ALTER TABLE read_through ENABLE ROW LEVEL SECURITY;
ALTER TABLE read_through FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON read_through FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON read_through TO slowpath_app;
"""

# What the team that keeps samples longest has kept since; who asks learns one number of all teams.
KEPT = """
CREATE POLICY keeper ON metric_settings FOR SELECT TO slowpath_keeper USING (true);
GRANT SELECT (retention_days) ON metric_settings TO slowpath_keeper;
CREATE FUNCTION door.first_metric_hour() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT (floor(extract(epoch FROM clock_timestamp()) / 3600) - 24 * coalesce(max(retention_days), 1000))::integer
    FROM public.metric_settings
$$;
REVOKE ALL ON FUNCTION door.first_metric_hour() FROM PUBLIC;
GRANT CREATE ON SCHEMA door TO slowpath_keeper;
ALTER FUNCTION door.first_metric_hour() OWNER TO slowpath_keeper;
REVOKE CREATE ON SCHEMA door FROM slowpath_keeper;
SET LOCAL ROLE slowpath_keeper;
GRANT EXECUTE ON FUNCTION door.first_metric_hour() TO slowpath_owner;
RESET ROLE;
"""

# A partition is made beside and then attached: that locks out nobody who reads or writes the other months. Dropping one
# locks the whole table for a moment; who would have to wait longer than the limit leaves it to the next time.
TIDY = """
CREATE FUNCTION door.tidy_metric_parts(months integer) RETURNS TABLE (part text, fate text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
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
            AND substring(pg_get_expr(child.relpartbound, child.oid) FROM 'TO \\(''?(-?[0-9]+)''?\\)')::integer <= least_hour
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
REVOKE ALL ON FUNCTION door.tidy_metric_parts(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION door.tidy_metric_parts(integer) TO slowpath_cross_team;
"""

UNDO = """
DROP FUNCTION door.tidy_metric_parts(integer);
SET LOCAL ROLE slowpath_keeper;
DROP FUNCTION door.first_metric_hour();
RESET ROLE;
REVOKE SELECT (retention_days) ON metric_settings FROM slowpath_keeper;
DROP POLICY keeper ON metric_settings;
DROP TABLE read_through;
ALTER TABLE metric_source DROP COLUMN last_check;
"""


def upgrade() -> None:
    op.execute(TABLES)
    op.execute(KEPT)
    op.execute(TIDY)


def downgrade() -> None:
    op.execute(UNDO)
