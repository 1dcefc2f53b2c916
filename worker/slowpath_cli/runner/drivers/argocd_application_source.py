"""The source of an Application of Argo CD that is set to a build, among others that stay as they are.

An Application has one `source`, or several `sources`: of those one is chosen, and lists are sent whole, bound to the version
that was read. A source is of one kind: what sets the images of kustomize where a chart stands would be refused by Argo CD
only amid the probe, so it is refused here before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from slowpath_cli.runner.core.config_section import ConfigSection
from slowpath_cli.runner.core.driver_interface import DeploymentFailed, InvalidDriverConfig, Json
from slowpath_cli.runner.kube.kube_cluster import obj, objects

NAMES: Final[tuple[str, ...]] = ("ref", "repoURL", "chart", "path", "name")
KINDS: Final = ("kustomize", "helm", "directory", "plugin")
MOST_SOURCES: Final = 1000


@dataclass(frozen=True)
class SourceSelector:
    """Which source is set: by its place, or by what it says of itself; nothing: the only one that makes manifests."""

    index: int | None
    named: Mapping[str, str]
    kind: str | None
    """What is set there: `kustomize` or `helm`; None: its revision alone."""

    @classmethod
    def read(cls, section: ConfigSection, kind: str | None) -> "SourceSelector":
        """Read `source`. Raises `InvalidDriverConfig`."""
        told = section.table("source")
        inner = ConfigSection(told, "deploy.source")
        index = inner.whole("index", 0, 0, MOST_SOURCES) if "index" in told else None
        named = {name: inner.text(name) for name in NAMES if name in told}
        if unknown := sorted(set(told) - {"index", *NAMES}):
            raise InvalidDriverConfig(
                f"[deploy] source does not know {unknown[0]!r}; it knows index, {', '.join(NAMES)}."
            )
        return cls(index, named, kind)

    def of(self, standing: Json) -> "ApplicationSource":
        """Return the source of an Application. Raises `DeploymentFailed`."""
        spec, name = obj(standing, "spec"), obj(standing, "metadata").get("name")
        if "sourceHydrator" in spec:
            raise DeploymentFailed(f"The Application {name} is hydrated: Argo CD itself writes what it deploys.")
        several = objects(spec, "sources")
        held = several or ([obj(spec, "source")] if obj(spec, "source") else [])
        fitting = [at for at, each in enumerate(held) if self._fits(at, each)]
        if len(fitting) != 1:
            there = "; ".join(f"{at}: {called(each)}" for at, each in enumerate(held)) or "none"
            raise DeploymentFailed(
                f"Which source of the Application {name} is set? {len(fitting)} fit. Name one as source = {{ index = 0 }}, "
                f"or by {', '.join(NAMES)}. There are {there}."
            )
        found = held[fitting[0]]
        self._check(name, found)
        return ApplicationSource(fitting[0] if several else None, found)

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
            why = f"has {others[0]}" if others else "only lends its files"
            raise DeploymentFailed(
                f"The Application {name} cannot be set by {self.kind}: its source {called(source)} {why}."
            )


@dataclass(frozen=True)
class ApplicationSource:
    """A source that is set; `index` among several, or None where there is one alone."""

    index: int | None
    told: Json

    def patch(self, spec: Json, wanted: Json) -> Json:
        """Return the patch of a spec that sets it, and the others as they are."""
        if self.index is None:
            return {"source": wanted}
        sources = objects(spec, "sources")
        return {"sources": [merged(each, wanted) if at == self.index else each for at, each in enumerate(sources)]}

    def before(self, wanted: Json) -> Json:
        """Return what is noted, to put it back when it was set."""
        inverse = inverse_of(self.told, wanted)
        if self.index is None:
            return inverse
        return {"index": self.index, "which": {name: self.told.get(name) for name in NAMES}, "before": inverse}


def put_back(standing: Json, before: Json) -> Json:
    """Return the patch of a spec that puts back what was noted. Raises `DeploymentFailed` where its source is no more."""
    spec, name = obj(standing, "spec"), obj(standing, "metadata").get("name")
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
        f"The sources of the Application {name} were changed by others, so that what stood before cannot be put back: "
        "put it back by hand, and take its label slowpath-run away."
    )


def compared(found: Json) -> bool:
    """Tell whether what Argo CD compared last is the source that is set, or all of them."""
    spec, told = obj(found, "spec"), obj(found, "status", "sync", "comparedTo")
    if objects(spec, "sources"):
        return bool(lean(objects(told, "sources")) == lean(objects(spec, "sources")))
    return bool(lean(obj(told, "source")) == lean(obj(spec, "source")))


def makes_manifests(source: Json) -> bool:
    """Tell whether a source is deployed, and does not only lend its files to others."""
    return bool(source.get("path") or source.get("chart"))


def called(source: Json) -> str:
    """Return a source's name for a person."""
    said = [f"{name} {source[name]}" for name in ("name", "chart", "path", "ref") if source.get(name)]
    return f"{', '.join(said)} of {source.get('repoURL')}" if said else str(source.get("repoURL"))


def lean(node: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    """Return it without what Argo CD leaves out when it writes it again: whatever is empty."""
    if isinstance(node, list):
        return [lean(each) for each in node]
    if not isinstance(node, dict):
        return node
    told = {key: lean(value) for key, value in node.items()}
    return {key: value for key, value in told.items() if value not in (None, "", False, [], {})}


def merged(thing: Any, patch: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    """Return a thing with a merge patch applied (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    kept = dict(thing) if isinstance(thing, dict) else {}
    for key, value in patch.items():
        if value is None:
            kept.pop(key, None)
        else:
            kept[key] = merged(kept.get(key), value)
    return kept


def inverse_of(standing: Json, patch: Json) -> Json:
    """Return the merge patch that takes one back: what was not there is null."""
    return {
        key: inverse_of(obj(standing, key), value)
        if isinstance(value, dict) and isinstance(standing.get(key), dict)
        else standing.get(key)
        for key, value in patch.items()
    }
