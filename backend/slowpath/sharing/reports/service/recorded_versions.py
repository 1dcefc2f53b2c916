"""Read recorded responses of former versions in the current one; snapshots store the bytes that were recorded."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from slowpath.analysis.comparison.comparison_versions import upgrade_comparison
from slowpath.analysis.comparison.page_versions import upgrade_document, upgrade_page
from slowpath.analysis.formats.column_file import MAGIC, upgrade_header
from slowpath.analysis.kinds.metrics.dashboard.dashboard_header import FORMER_DASHBOARD_NAMES
from slowpath.analysis.kinds.profiles.views.diff_header import FORMER_DIFF_NAMES

Upgrade = Callable[[Mapping[str, object]], Mapping[str, object]]

_ID: Final = "[0-9a-f-]{36}"
COMPARISON: Final = re.compile(rf"/comparisons/{_ID}")
PAGE: Final = re.compile(rf"/comparisons/{_ID}/results/[a-z]+|/execution-traces/{_ID}")
DASHBOARD: Final = re.compile(r"/dashboard(\?.*)?")
DIFF_VIEW: Final = re.compile(rf"/comparisons/{_ID}/views/{_ID}/(chunks|nodes)/[a-z0-9]+")
COLUMN_FILES: Final = ((DASHBOARD, FORMER_DASHBOARD_NAMES), (DIFF_VIEW, FORMER_DIFF_NAMES))
EXPLANATIONS: Final = re.compile(rf"/gap-explanations/{_ID}|/span-sets/{_ID}/traces/[0-9a-f]+/gap-explanations")


def upgrade_response(request: str, content: bytes) -> bytes:
    """Return the body of a recorded response with its document in the current version of its format."""
    if PAGE.fullmatch(request):
        return upgrade_page(content)
    if content.startswith(MAGIC):
        former = next((names for pattern, names in COLUMN_FILES if pattern.fullmatch(request)), None)
        return upgrade_header(content, former) if former else content
    if COMPARISON.fullmatch(request):
        body = json.loads(content)
        upgraded = _upgrade_member(body, "result", upgrade_comparison)
    elif EXPLANATIONS.fullmatch(request):
        body = json.loads(content)
        upgraded = (
            [_upgrade_member(each, "document", upgrade_document) for each in body]
            if isinstance(body, list)
            else _upgrade_member(body, "document", upgrade_document)
        )
    else:
        return content
    return content if upgraded == body else json.dumps(upgraded, ensure_ascii=False).encode()


def _upgrade_member(body: object, name: str, upgrade: Upgrade) -> object:
    document = body.get(name) if isinstance(body, dict) else None
    return {**body, name: upgrade(document)} if isinstance(body, dict) and isinstance(document, dict) else body
