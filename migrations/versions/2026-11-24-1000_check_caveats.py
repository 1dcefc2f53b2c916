"""Stored evaluations of deployments have the API's present names: `caveats`, and the verdict `inconclusive`.

Code before this version passes them on without reading them, so it can run with both.
"""

from alembic import op

revision = "20261124_1000"
down_revision = "20261124_0900"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _update(
        "statement - 'doubts' - 'said' || jsonb_build_object("
        "'caveats', statement -> 'doubts', 'verdict', replace(statement ->> 'verdict', 'cannot-tell', 'inconclusive'))",
        "doubts",
    )


def downgrade() -> None:
    _update(
        "statement - 'caveats' || jsonb_build_object("
        "'doubts', statement -> 'caveats', 'said', replace(statement ->> 'verdict', '-', ' '))",
        "caveats",
    )


def _update(value: str, member: str) -> None:
    op.execute("ALTER TABLE deployment_evaluation NO FORCE ROW LEVEL SECURITY")  # the owner sees no row otherwise
    op.execute(f"UPDATE deployment_evaluation SET statement = {value} WHERE jsonb_exists(statement, '{member}')")  # noqa: S608 - texts of this file
    op.execute("ALTER TABLE deployment_evaluation FORCE ROW LEVEL SECURITY")
