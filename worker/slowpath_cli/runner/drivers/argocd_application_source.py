"""Select and patch the source of an Argo CD Application that is set to a build.

An Application has one `source` or several `sources`. One of them is patched; lists are sent whole, with the resource
version. A source has one kind, which is checked before the deployment: Argo CD would reject images of kustomize in a chart
only during the probe.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from slowpath_cli.runner.core.config_section import ConfigSection
from slowpath_cli.runner.core.driver_interface import DeploymentFailed, InvalidDriverConfig, Json
from slowpath_cli.runner.kube.kube_cluster import obj, objects

NAMES: Final[tuple[str, ...]] = ("ref", "repoURL", "chart", "path", "name")
KINDS: Final = ("kustomize", "helm", "directory", "plugin")
MAX_SOURCES: Final = 1000


@dataclass(frozen=True)
class SourceSelector:
    """Selects a source by its index or its fields; by default the only one that makes manifests."""

    index: int | None
    named: Mapping[str, str]
    kind: str | None
    """The part that is patched: `kustomize` or `helm`; None if only the revision is."""

    @classmethod
    def read(cls, section: ConfigSection, kind: str | None) -> "SourceSelector":
        """Read `source`. Raises `InvalidDriverConfig`."""
        table = section.table("source")
        inner = ConfigSection(table, "deploy.source")
        index = inner.whole("index", 0, 0, MAX_SOURCES) if "index" in table else None
        named = {name: inner.text(name) for name in NAMES if name in table}
        if unknown := sorted(set(table) - {"index", *NAMES}):
            raise InvalidDriverConfig(
                f"[deploy] source has an unknown key {unknown[0]!r}; known keys are index, {', '.join(NAMES)}."
            )
        return cls(index, named, kind)

    def of(self, application: Json) -> "ApplicationSource":
        """Return the source of an Application. Raises `DeploymentFailed`."""
        spec, name = obj(application, "spec"), obj(application, "metadata").get("name")
        if "sourceHydrator" in spec:
            raise DeploymentFailed(f"The Application {name} uses a source hydrator, which is not supported.")
        several = objects(spec, "sources")
        sources = several or ([obj(spec, "source")] if obj(spec, "source") else [])
        matching = [at for at, each in enumerate(sources) if self._fits(at, each)]
        if len(matching) != 1:
            available = "; ".join(f"{at}: {called(each)}" for at, each in enumerate(sources)) or "none"
            raise DeploymentFailed(
                f"{len(matching)} sources of the Application {name} match, instead of 1. Select one by source = {{ index = 0 }}, "
                f"or by {', '.join(NAMES)}. Available: {available}."
            )
        found = sources[matching[0]]
        self._check(name, found)
        return ApplicationSource(matching[0] if several else None, found)

    def _fits(self, at: int, source: Json) -> bool:
        if self.index is None and not self.named:
            return makes_manifests(source)
        return self.index in (None, at) and all(source.get(name) == value for name, value in self.named.items())

    def _check(self, name: object, source: Json) -> None:
        if self.kind is None:
            return
        others = [kind for kind in KINDS if kind != self.kind and source.get(kind) is not None]
        if self.kind == "kustomize" and source.get("chart"):
            others.append("chart")
        if others or not makes_manifests(source):
            reason = f"has {others[0]}" if others else "makes no manifests"
            raise DeploymentFailed(
                f"The Application {name} cannot be patched by {self.kind}: its source {called(source)} {reason}."
            )


@dataclass(frozen=True)
class ApplicationSource:
    """The source that is patched; `index` in `sources`, or None for the single `source`."""

    index: int | None
    told: Json

    def patch(self, spec: Json, wanted: Json) -> Json:
        """Return the patch of a spec that changes this source and preserves the others."""
        if self.index is None:
            return {"source": wanted}
        sources = objects(spec, "sources")
        return {"sources": [merged(each, wanted) if at == self.index else each for at, each in enumerate(sources)]}

    def before(self, wanted: Json) -> Json:
        """Return the data that `put_back` needs to undo a patch."""
        inverse = inverse_of(self.told, wanted)
        if self.index is None:
            return inverse
        return {"index": self.index, "which": {name: self.told.get(name) for name in NAMES}, "before": inverse}


def put_back(application: Json, before: Json) -> Json:
    """Return the patch of a spec that undoes an earlier one. Raises `DeploymentFailed` if the source is gone."""
    spec, name = obj(application, "spec"), obj(application, "metadata").get("name")
    several = objects(spec, "sources")
    if "which" not in before:
        if several:
            raise DeploymentFailed(_changed(name), is_transient=True)
        return {"source": before}
    which = obj(before, "which")
    same = [at for at, each in enumerate(several) if all(each.get(key) == which.get(key) for key in NAMES)]
    at = before["index"] if before["index"] in same else same[0] if len(same) == 1 else None
    if at is None:
        raise DeploymentFailed(_changed(name), is_transient=True)
    return ApplicationSource(at, several[at]).patch(spec, obj(before, "before"))


def _changed(name: object) -> str:
    return (
        f"The sources of the Application {name} were changed by others, so the original source cannot be restored. "
        "Restore it manually, and remove the label slowpath-run."
    )


def compared(found: Json) -> bool:
    """Return whether Argo CD's last comparison used the current sources."""
    spec, compared_to = obj(found, "spec"), obj(found, "status", "sync", "comparedTo")
    if objects(spec, "sources"):
        return bool(lean(objects(compared_to, "sources")) == lean(objects(spec, "sources")))
    return bool(lean(obj(compared_to, "source")) == lean(obj(spec, "source")))


def makes_manifests(source: Json) -> bool:
    """Return whether a source makes manifests, instead of only providing files to other sources."""
    return bool(source.get("path") or source.get("chart"))


def called(source: Json) -> str:
    """Describe a source for messages."""
    parts = [f"{name} {source[name]}" for name in ("name", "chart", "path", "ref") if source.get(name)]
    return f"{', '.join(parts)} of {source.get('repoURL')}" if parts else str(source.get("repoURL"))


def lean(node: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    """Return JSON without empty values, which Argo CD omits when it writes an object."""
    if isinstance(node, list):
        return [lean(each) for each in node]
    if not isinstance(node, dict):
        return node
    fields = {key: lean(value) for key, value in node.items()}
    return {key: value for key, value in fields.items() if value not in (None, "", False, [], {})}


def merged(thing: Any, patch: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    """Return JSON with a merge patch applied (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(thing) if isinstance(thing, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def inverse_of(application: Json, patch: Json) -> Json:
    """Return the merge patch that undoes `patch`: keys that did not exist become null."""
    return {
        key: inverse_of(obj(application, key), value)
        if isinstance(value, dict) and isinstance(application.get(key), dict)
        else application.get(key)
        for key, value in patch.items()
    }
