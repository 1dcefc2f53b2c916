"""The ways to deploy. Each module offers `read(section, place) -> Driver`, and is loaded only where it is asked for."""

import importlib
from collections.abc import Mapping
from typing import Any, Final, cast

from slowpath_cli.runner.driver import BadSection, Driver, Place

KNOWN: Final = ("command", "none", "github", "webhook", "argo", "argocd", "kubernetes")


def driver_named(name: str, section: Mapping[str, Any], place: Place) -> Driver:
    """Return the driver of a name, as its section wants it. Raises `BadSection`."""
    if name not in KNOWN:
        raise BadSection(f"[deploy] driver: there is no {name!r}; known are {', '.join(KNOWN)}.")
    module = importlib.import_module(f"{__name__}.{name}")
    return cast("Driver", module.read(section, place))
