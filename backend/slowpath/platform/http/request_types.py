"""Field types of request bodies that accept what their JSON schema describes, and nothing else.

Pydantic converts by default: `0` to false, `"1"` and true to 1, and a number to the time that many seconds after 1970.
A client that sends such a value has a defect, which an error shows and a conversion hides. Fields with `true` or `false`
use `StrictBool` of Pydantic.
"""

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, BeforeValidator

NUMBER = re.compile(r"\s*[+-]?[0-9.]+([eE][+-]?[0-9]+)?\s*")


def _reject_other_than_bool(value: object) -> object:
    if not isinstance(value, bool):
        raise ValueError("true or false is required")  # noqa: TRY004 - Pydantic reports only value errors
    return value


def _reject_other_than_number(value: object) -> object:
    if isinstance(value, bool | str):
        raise ValueError("a number is required")  # noqa: TRY004 - Pydantic reports only value errors
    return value


def reject_number(value: object) -> object:
    """Return a value that is neither a number nor a text with one. Raises `ValueError` otherwise."""
    if isinstance(value, bool | int | float) or (isinstance(value, str) and NUMBER.fullmatch(value)):
        raise ValueError("a text in ISO 8601 format is required")
    return value


JsonTrue = Annotated[Literal[True], BeforeValidator(_reject_other_than_bool)]
"""`true` only."""
JsonFalse = Annotated[Literal[False], BeforeValidator(_reject_other_than_bool)]
"""`false` only."""
JsonInt = Annotated[int, BeforeValidator(_reject_other_than_number)]
"""A number without a fraction."""
JsonFloat = Annotated[float, BeforeValidator(_reject_other_than_number)]
"""A number."""
JsonTime = Annotated[AwareDatetime, BeforeValidator(reject_number)]
"""A text with a date, a time and its offset from UTC."""
JsonDate = Annotated[date, BeforeValidator(reject_number)]
"""A text with a date."""
