"""A PostgreSQL schema as comparable lines: tables, columns, constraints, indexes, triggers, policies, functions, grants."""

import re

import psycopg

QUERY = """
WITH ours AS (
    SELECT oid, nspname, nspowner, nspacl FROM pg_namespace
    WHERE nspname IN ('public', 'cross_team', 'metric_parts')
), relation AS (
    SELECT pg_class.* FROM pg_class JOIN ours ON ours.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'S', 'v', 'm') AND relname <> 'alembic_version'
)
SELECT concat_ws(' ', 'schema', nspname, nspowner::regrole, nspacl) FROM ours
UNION ALL
SELECT concat_ws(' ', 'table', oid::regclass, relkind::text, relowner::regrole, relrowsecurity, relforcerowsecurity,
    reloptions, pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid), relacl::text) FROM relation
UNION ALL
SELECT concat_ws(' ', 'column', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
    attidentity::text, attgenerated::text, attstorage::text, pg_get_expr(adbin, adrelid), attacl::text)
FROM pg_attribute JOIN relation ON relation.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE relkind <> 'S' AND attnum > 0 AND NOT attisdropped
UNION ALL
SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(pg_constraint.oid), convalidated)
FROM pg_constraint JOIN relation ON relation.oid = conrelid WHERE contype <> 'n'
UNION ALL
SELECT concat_ws(' ', 'index', pg_get_indexdef(indexrelid)) FROM pg_index JOIN relation ON relation.oid = indrelid
UNION ALL
SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(pg_trigger.oid), tgenabled::text)
FROM pg_trigger JOIN relation ON relation.oid = tgrelid WHERE NOT tgisinternal
UNION ALL
SELECT concat_ws(' ', 'policy', tablename, policyname, permissive, roles, cmd, qual, 'check', with_check) FROM pg_policies
UNION ALL
SELECT concat_ws(' ', 'function', pg_get_functiondef(pg_proc.oid), proowner::regrole, proacl::text)
FROM pg_proc JOIN ours ON ours.oid = pronamespace
"""
COMMENT = re.compile(r"--.*$", re.MULTILINE)
AROUND_BRACKET = re.compile(r"\s*([()])\s*")
ACCESS_LIST = re.compile(r"\{[^{}]*=[^{}]*\}")


def describe_schema(connection: psycopg.Connection) -> set[str]:
    """Return one line for each object of the schema, without the order of columns, white space and comments in functions."""
    return {_line(text) for (text,) in connection.execute(QUERY)}


def _line(text: str) -> str:
    ordered = ACCESS_LIST.sub(lambda found: ",".join(sorted(found[0].strip("{}").split(","))), text)
    return " ".join(AROUND_BRACKET.sub(r"\1", COMMENT.sub("", ordered)).split())
