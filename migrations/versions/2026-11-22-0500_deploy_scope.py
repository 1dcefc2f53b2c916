"""Announcing deployments has a scope of its own: `deploy`.

Tokens that could upload could announce deployments; those that exist keep that, and new ones are made for one or both.
Older code does not know the scope, so this version has to be rolled out before tokens of the new scope are made.
"""

from alembic import op

revision = "20261122_0500"
down_revision = "20261122_0450"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _of_all_teams("UPDATE api_token SET scopes = scopes || 'deploy'::varchar WHERE 'upload' = ANY (scopes)")


def downgrade() -> None:
    _of_all_teams("DELETE FROM api_token WHERE scopes = ARRAY['deploy']::varchar[]")
    _of_all_teams("UPDATE api_token SET scopes = array_remove(scopes, 'deploy'::varchar)")


def _of_all_teams(statement: str) -> None:
    """Carry out a statement on the rows of all teams, which the owner of the table does not see otherwise."""
    op.execute("ALTER TABLE api_token NO FORCE ROW LEVEL SECURITY")
    op.execute(statement)
    op.execute("ALTER TABLE api_token FORCE ROW LEVEL SECURITY")
