"""The assembly of functions and the compiler's reasons are stored.

Code before this version does not know the tables, so it can run with them.
"""

from alembic import op

revision = "20261127_1650"
down_revision = "20261127_1640"
branch_labels = None
depends_on = None

ASSEMBLY = """
CREATE TABLE assembly (
    executable_id uuid NOT NULL,
    base_executable_id uuid,
    comparison_id uuid,
    function varchar NOT NULL,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    document jsonb,
    created_by uuid,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_assembly PRIMARY KEY (team_id, id),
    CONSTRAINT uq_assembly_function UNIQUE NULLS NOT DISTINCT (team_id, executable_id, base_executable_id, comparison_id, function),
    CONSTRAINT fk_assembly_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_assembly_team_id_executable_id FOREIGN KEY (team_id, executable_id)
        REFERENCES executable (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_assembly_team_id_base_executable_id FOREIGN KEY (team_id, base_executable_id)
        REFERENCES executable (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_assembly_team_id_comparison_id FOREIGN KEY (team_id, comparison_id)
        REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_assembly_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_assembly_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled'))
);
"""
COMPILE_REPORT = """
CREATE TABLE compile_report (
    base_commit varchar NOT NULL,
    candidate_commit varchar NOT NULL,
    package varchar NOT NULL,
    document jsonb NOT NULL,
    created_by uuid,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_compile_report PRIMARY KEY (team_id, id),
    CONSTRAINT uq_compile_report_package UNIQUE (team_id, base_commit, candidate_commit, package),
    CONSTRAINT fk_compile_report_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
"""
OF_A_TEAM = """
ALTER TABLE {0} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {0} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {0} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {0} TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(ASSEMBLY + OF_A_TEAM.format("assembly"))
    op.execute(COMPILE_REPORT + OF_A_TEAM.format("compile_report"))


def downgrade() -> None:
    op.execute("DROP TABLE assembly")
    op.execute("DROP TABLE compile_report")
