"""Write documents (trees of dataclasses) as JSON."""

import json


def dump_document(document: object, indent: int | None = None) -> str:
    """Format a tree of dataclasses, mappings, sequences and numbers as JSON.

    Nothing is copied: a trace of 20,000 spans has half a million members. Raises `ValueError` for NaN and infinity.
    """
    return json.dumps(document, default=vars, ensure_ascii=False, allow_nan=False, indent=indent)
