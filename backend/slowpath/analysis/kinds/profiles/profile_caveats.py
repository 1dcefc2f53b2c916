"""Why a comparison may mislead: what differs between the two sides, and what the data themselves betray.

A doubt stands beside the verdict. One that `explains_effect` also keeps what it explains from being significant (see
`explanations`). Each has an id for machines and a sentence that names the
values and what they mean for the verdict. What several kinds of profile raise is said once, naming them; the gravest
come first.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.wording import join_list

# From what may turn the verdict over to what is good to know. Ids that are not here stand in the middle, as they came.
GRAVEST = (
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
    "drifting",
    "overdispersed",
    "consecutive",
)
LEAST = (
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
    "decode-warnings",
)


@dataclass(frozen=True)
class KindCaveat:
    """A doubt raised by the profiles of one kind: "`what` (`kind`): `meaning`." once it is said."""

    id: str
    kind: str
    what: str
    meaning: str
    explains_effect: bool = False


def merged(raised: Iterable[KindCaveat | Caveat]) -> list[Caveat]:
    """One doubt an id: kinds that say the same are named together, and what several say differently stands in a row.

    What means the same under two ids (one profile, and few) is said once, under the graver one.
    """
    every = list(raised)
    home: dict[str, str] = {}
    for each in every:
        if isinstance(each, KindCaveat):
            home[each.meaning] = min(home.get(each.meaning, each.id), each.id, key=_rank)
    said: dict[str, list[KindCaveat | Caveat]] = {}
    for each in every:
        said.setdefault(home[each.meaning] if isinstance(each, KindCaveat) else each.id, []).append(each)
    return [
        Caveat(identity, _sentence(several), any(each.explains_effect for each in several))
        for identity, several in said.items()
    ]


def by_gravity(doubts: Iterable[Caveat]) -> tuple[Caveat, ...]:
    """The gravest first."""
    return tuple(sorted(doubts, key=lambda doubt: _rank(doubt.id)))


def _rank(identity: str) -> int:
    if identity in GRAVEST:
        return GRAVEST.index(identity) - len(GRAVEST)
    return LEAST.index(identity) + 1 if identity in LEAST else 0


def _sentence(several: list[KindCaveat | Caveat]) -> str:
    """Sentences of one id: "2 profiles a side (heap and allocs), 1 (mutex): what it means."."""
    plain = [each.sentence for each in several if isinstance(each, Caveat)]
    kinds: dict[str, dict[str, list[str]]] = {}
    for each in several:
        if isinstance(each, KindCaveat):
            kinds.setdefault(each.meaning, {}).setdefault(each.what, []).append(each.kind)
    told = [_told(whats, meaning) for meaning, whats in kinds.items()]
    return " ".join(dict.fromkeys([*plain, *told]))


def _told(whats: dict[str, list[str]], meaning: str) -> str:
    said = "; ".join(
        f"{what[0].lower()}{what[1:]} ({join_list(list(dict.fromkeys(kinds)))})" for what, kinds in whats.items()
    )
    return f"{said[0].upper()}{said[1:]}: {meaning}."
