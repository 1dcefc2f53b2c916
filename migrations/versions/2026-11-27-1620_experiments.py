"""A bisect can be followed by experiments, which runners measure as they measure its probes.

Code before this version does not know the columns and would continue an experiment as a search without candidates: cancel
running experiments before a downgrade.
"""

from alembic import op

revision = "20261127_1620"
down_revision = "20261127_1340"
branch_labels = None
depends_on = None

PURPOSES = "'boundary', 'control', 'probe', 'verify', 'override', 'baseline'"
BISECT = """
ALTER TABLE bisect ADD COLUMN experiment_of uuid;
ALTER TABLE bisect ADD COLUMN experiment jsonb;
-- squawk-ignore constraint-missing-not-valid, adding-foreign-key-constraint
ALTER TABLE bisect ADD CONSTRAINT fk_bisect_team_id_experiment_of FOREIGN KEY (team_id, experiment_of)
    REFERENCES bisect (team_id, id) ON DELETE CASCADE;
CREATE INDEX ix_bisect_experiment_of ON bisect (team_id, experiment_of);
ALTER TABLE probe_measurement ADD COLUMN measures jsonb;
ALTER TABLE runner ADD COLUMN variants jsonb DEFAULT '[]' NOT NULL;
"""
PURPOSE = """
-- squawk-ignore ban-drop-constraint
ALTER TABLE probe DROP CONSTRAINT ck_probe_purpose;
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE probe ADD CONSTRAINT ck_probe_purpose CHECK (purpose in ({purposes}));
"""


def upgrade() -> None:
    op.execute(BISECT)
    op.execute(PURPOSE.format(purposes=f"{PURPOSES}, 'variant'"))


def downgrade() -> None:
    # The owner sees no row while row-level security is forced.
    op.execute("ALTER TABLE bisect NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM bisect WHERE experiment_of IS NOT NULL")
    op.execute("ALTER TABLE bisect FORCE ROW LEVEL SECURITY")
    op.execute(PURPOSE.format(purposes=PURPOSES))
    op.execute("ALTER TABLE runner DROP COLUMN variants")
    op.execute("ALTER TABLE probe_measurement DROP COLUMN measures")
    op.execute("ALTER TABLE bisect DROP COLUMN experiment, DROP COLUMN experiment_of")
