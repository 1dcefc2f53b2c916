"""Collect why a comparison may mislead: differences of the sides, and properties of the data.

A caveat is shown next to the verdict. One that `explains_effect` also makes what it explains not significant (see
`explanations`). Each has a stable id and a sentence with the values and their meaning. A caveat that several kinds of
profile share is shown once, naming them; the most severe come first.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.wording import join_list

# From those that may reverse the verdict to those for information. Other ids are in the middle, in their order.
MOST_SEVERE = (
    "unread-files",
    "same-build",
    "kind-missing",
    "sample-type",
    "goarch",
    "single-profile",
    "few-profiles",
    "load-implausible",
    "common-factor",
    "cpu-saturated",
    "cpu-model",
    "no-aes",
    "load",
    "request-mix",
    "process-age",
    "drifting",
    "overdispersed",
    "consecutive",
)
LEAST_SEVERE = (
    "share-only",
    "one-run",
    "go-version",
    "gomaxprocs",
    "cpu-flags",
    "goos",
    "load-unknown",
    "coverage",
    "duration",
    "period",
    "cut-stacks",
    "renamed-packages",
    "decode-warnings",
)


@dataclass(frozen=True)
class KindCaveat:
    """A caveat on the profiles of one kind, shown as "`what` (`kind`): `meaning`."."""

    id: str
    kind: str
    what: str
    meaning: str
    explains_effect: bool = False


def merged(caveats: Iterable[KindCaveat | Caveat]) -> list[Caveat]:
    """Merge caveats by id: kinds with equal texts are named together, different texts are joined.

    Equal meanings under two ids (one profile, and few) are shown once, under the more severe id.
    """
    all_caveats = list(caveats)
    id_of_meaning: dict[str, str] = {}
    for each in all_caveats:
        if isinstance(each, KindCaveat):
            id_of_meaning[each.meaning] = min(id_of_meaning.get(each.meaning, each.id), each.id, key=_rank)
    by_id: dict[str, list[KindCaveat | Caveat]] = {}
    for each in all_caveats:
        by_id.setdefault(id_of_meaning[each.meaning] if isinstance(each, KindCaveat) else each.id, []).append(each)
    return [
        Caveat(identity, _sentence(several), any(each.explains_effect for each in several))
        for identity, several in by_id.items()
    ]


def by_gravity(caveats: Iterable[Caveat]) -> tuple[Caveat, ...]:
    """Return the caveats, the most severe first."""
    return tuple(sorted(caveats, key=lambda caveat: _rank(caveat.id)))


def _rank(identity: str) -> int:
    if identity in MOST_SEVERE:
        return MOST_SEVERE.index(identity) - len(MOST_SEVERE)
    return LEAST_SEVERE.index(identity) + 1 if identity in LEAST_SEVERE else 0


def _sentence(several: list[KindCaveat | Caveat]) -> str:
    """Join the sentences of one id: "2 profiles per side (heap and allocs), 1 (mutex): what it means."."""
    plain = [each.sentence for each in several if isinstance(each, Caveat)]
    kinds: dict[str, dict[str, list[str]]] = {}
    for each in several:
        if isinstance(each, KindCaveat):
            kinds.setdefault(each.meaning, {}).setdefault(each.what, []).append(each.kind)
    by_meaning = [_join_kinds(whats, meaning) for meaning, whats in kinds.items()]
    return " ".join(dict.fromkeys([*plain, *by_meaning]))


def _join_kinds(whats: dict[str, list[str]], meaning: str) -> str:
    described = "; ".join(
        f"{what[0].lower()}{what[1:]} ({join_list(list(dict.fromkeys(kinds)))})" for what, kinds in whats.items()
    )
    return f"{described[0].upper()}{described[1:]}: {meaning}."
