"""Documents as their readers get them."""

import json
from typing import Any

from slowpath.analysis.formats.document_json import dump_document


def as_json(document: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return a document as decoded JSON."""
    return json.loads(dump_document(document))
