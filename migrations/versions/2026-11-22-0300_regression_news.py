"""Pages of regressions, builds and their judgements hear that something is new.

Adds triggers; older code does not notice.
"""

from alembic import op

revision = "20261122_0300"
down_revision = "20261122_0250"
branch_labels = None
depends_on = None

# Equal words of one transaction are told once: a look that redraws thirty regressions is one piece of news.
EVENTS = """
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON regression
    FOR EACH ROW EXECUTE FUNCTION tell_news('regression');
CREATE TRIGGER tell AFTER INSERT ON regression_event FOR EACH ROW EXECUTE FUNCTION tell_news('regression');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state, sentence ON build_judgement
    FOR EACH ROW EXECUTE FUNCTION tell_news('regression');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON build FOR EACH ROW EXECUTE FUNCTION tell_news('build');
"""
TOLD = ("regression", "regression_event", "build_judgement", "build")


def upgrade() -> None:
    op.execute(EVENTS)


def downgrade() -> None:
    for table in TOLD:
        op.execute(f"DROP TRIGGER tell ON {table}")
