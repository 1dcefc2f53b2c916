"""Runners compile the culprit of a bisect and the build before it.

Code before this version can run with it, unless a probe of the new purpose exists.
"""

from alembic import op

revision = "20261128_0340"
down_revision = "20261128_0320"
branch_labels = None
depends_on = None

PURPOSES = "'boundary', 'control', 'probe', 'verify', 'override', 'baseline', 'variant'"
PURPOSE = """
-- squawk-ignore ban-drop-constraint
ALTER TABLE probe DROP CONSTRAINT ck_probe_purpose;
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE probe ADD CONSTRAINT ck_probe_purpose CHECK (purpose in ({purposes}));
"""


def upgrade() -> None:
    op.execute("ALTER TABLE runner ADD COLUMN can_compile boolean DEFAULT false NOT NULL")
    op.execute("ALTER TABLE bisect ADD COLUMN compile_report jsonb")
    op.execute(PURPOSE.format(purposes=f"{PURPOSES}, 'compile'"))


def downgrade() -> None:
    # The owner sees no row while row-level security is forced.
    op.execute("ALTER TABLE probe NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM probe WHERE purpose = 'compile'")
    op.execute("ALTER TABLE probe FORCE ROW LEVEL SECURITY")
    op.execute(PURPOSE.format(purposes=PURPOSES))
    op.execute("ALTER TABLE bisect DROP COLUMN compile_report")
    op.execute("ALTER TABLE runner DROP COLUMN can_compile")
