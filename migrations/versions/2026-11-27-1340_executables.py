"""Functions, inline trees and calls of Go executables are stored as columns.

Code before this version does not know the table, so it can run with it.
"""

from alembic import op

revision = "20261127_1340"
down_revision = "20261127_1240"
branch_labels = None
depends_on = None

EXECUTABLE = """
CREATE TABLE executable (
    build_id varchar NOT NULL,
    arch varchar NOT NULL,
    functions integer NOT NULL,
    inlined integer NOT NULL,
    calls integer NOT NULL,
    damaged integer NOT NULL,
    columns_key varchar NOT NULL,
    columns_bytes bigint NOT NULL,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_executable PRIMARY KEY (team_id, id),
    CONSTRAINT fk_executable_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_executable_team_id_id FOREIGN KEY (team_id, id) REFERENCES artifact (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_executable_columns ON executable (team_id, columns_key);
CREATE INDEX ix_executable_build_id ON executable (team_id, build_id);
ALTER TABLE executable ENABLE ROW LEVEL SECURITY;
ALTER TABLE executable FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON executable FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON executable TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(EXECUTABLE)


def downgrade() -> None:
    op.execute("DROP TABLE executable")
