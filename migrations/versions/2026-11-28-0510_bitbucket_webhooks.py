"""Bitbucket can send webhooks.

Code before this version runs with it.
"""

from alembic import op

revision = "20261128_0510"
down_revision = "20261128_0500"
branch_labels = None
depends_on = None

CHECK = """
-- squawk-ignore ban-drop-constraint
ALTER TABLE webhook DROP CONSTRAINT ck_webhook_kind;
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE webhook ADD CONSTRAINT ck_webhook_kind CHECK (kind in ({kinds}));
"""


def upgrade() -> None:
    op.execute(CHECK.format(kinds="'gitlab', 'github', 'bitbucket'"))


def downgrade() -> None:
    op.execute("ALTER TABLE webhook NO FORCE ROW LEVEL SECURITY")  # the owner sees no row otherwise
    op.execute("DELETE FROM webhook WHERE kind = 'bitbucket'")
    op.execute("ALTER TABLE webhook FORCE ROW LEVEL SECURITY")
    op.execute(CHECK.format(kinds="'gitlab', 'github'"))
