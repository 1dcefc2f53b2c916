"""Every stack gets one category, one entry and one payer.

The category says which corner of the runtime worked; the entry is the runtime function that user code called; the
payer is the first user frame below it. All three come from the runtime prefix of a stack: the frames from the leaf
up to the first that is not the runtime's (`go_runtime_categories.json`, "how").
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.go_function_names import are_standard
from slowpath.analysis.kinds.profiles.function_keys import Labels
from slowpath.analysis.kinds.profiles.runtime_category_rules import RuntimeCategoryRules, runtime_rules
from slowpath.analysis.kinds.profiles.stack_frames import I32, U64, Index, StackFrames

Mask = NDArray[np.bool_]
U8 = NDArray[np.uint8]

# The root has no name; what the profiler puts in place of a function has one in brackets.
_NOBODY = frozenset({"", "["})
# The stack is switched, nothing is called: an entry is what stands beside these.
STACK_SWITCHES = frozenset({"runtime.systemstack", "runtime.systemstack_switch"})

GROUPS = {
    "gc": ("gc-mark", "gc-assist", "gc-sweep", "gc-scavenge", "gc-write-barrier"),
    "lock": ("lock-runtime", "lock-sync"),
}


@dataclass(frozen=True)
class StackAttribution:
    """Where each stack belongs.

    Per stack: `category` indexes `categories`; `entry` is the label of the runtime function that was called and
    `payer` that of the function that pays, both 0 where there is none; `entry_category` is the entry's own.

    Per label: `is_runtime`, `is_library` (the standard library, or nobody) and `is_nobody` (the root, or what the profiler
    puts in place of a function).
    """

    categories: tuple[str, ...]
    category: U8
    entry: I32
    entry_category: U8
    payer: I32
    is_runtime: Mask
    is_library: Mask
    is_nobody: Mask

    def of(self, subject: str) -> Mask:
        """Which stacks belong to a category or to a group of categories."""
        members = [self.categories.index(part) for part in GROUPS.get(subject, (subject,))]
        return np.isin(self.category, members)


@dataclass(frozen=True)
class _FunctionRuleBits:
    """What the rules say of each label."""

    is_runtime: Mask
    is_library: Mask
    is_nobody: Mask
    is_switch: Mask
    any: U64
    unless: U64
    leaf: U64

    @classmethod
    def of(cls, rules: RuntimeCategoryRules, labels: Labels) -> "_FunctionRuleBits":
        keys = labels.keys
        begin = rules.runtime_prefix.match
        is_runtime = np.array([begin(key) is not None for key in keys], dtype=np.bool_)
        runtime = np.flatnonzero(is_runtime)
        matched, unless, leaf = (np.zeros(len(keys), dtype=np.uint64) for _ in range(3))
        for row in runtime.tolist():  # few of a program's functions
            bits = rules.bits(keys[row])
            matched[row], unless[row], leaf[row] = bits.any, bits.unless, bits.leaf
        is_switch = np.zeros(len(keys), dtype=np.bool_)
        is_switch[[labels.number_of[key] for key in STACK_SWITCHES if key in labels.number_of]] = True
        return cls(
            is_runtime=is_runtime,
            is_library=np.array(are_standard(keys), dtype=np.bool_),
            is_nobody=np.array([key[:1] in _NOBODY for key in keys], dtype=np.bool_),
            is_switch=is_switch,
            any=matched,
            unless=unless,
            leaf=leaf,
        )


def attribute_stacks(frames: StackFrames, labels: Labels) -> StackAttribution:
    """Category, entry and payer of every stack."""
    rules = runtime_rules()
    names = _FunctionRuleBits.of(rules, labels)
    prefix = _runtime_prefixes(frames, names)
    return StackAttribution(
        categories=rules.categories,
        category=categories_of(prefix.any, prefix.unless, prefix.leaf, len(rules.rules)),
        entry=prefix.entry,
        entry_category=categories_of(names.any, names.unless, names.leaf, len(rules.rules))[prefix.entry],
        payer=_payers(frames, names, prefix.above),
        is_runtime=names.is_runtime,
        is_library=names.is_library,
        is_nobody=names.is_nobody,
    )


def categories_of(matched: U64, unless: U64, leaf: U64, rules: int) -> U8:
    """The first rule that matches: some frame of the prefix (and none that it excludes), or the leaf.

    What no rule names is the application's, category 0.
    """
    won = (matched & ~unless) | leaf
    category = np.zeros(len(won), dtype=np.uint8)
    for number in reversed(range(rules)):
        category[(won >> np.uint64(number)) & np.uint64(1) == 1] = number + 1
    return category


@dataclass(frozen=True)
class _RuntimePrefixes:
    """Per stack: bits found on the runtime prefix, its entry, and the first frame above it (or before the start)."""

    any: U64
    unless: U64
    leaf: U64
    entry: I32
    above: Index


def _runtime_prefixes(frames: StackFrames, names: _FunctionRuleBits) -> _RuntimePrefixes:
    """From the leaf upwards, all stacks at once, each until its first frame that is not the runtime's."""
    count = frames.count
    found = _RuntimePrefixes(
        any=np.zeros(count, dtype=np.uint64),
        unless=np.zeros(count, dtype=np.uint64),
        leaf=np.zeros(count, dtype=np.uint64),
        entry=np.zeros(count, dtype=np.int32),
        above=frames.start[1:] - 1,
    )
    stacks = np.flatnonzero(frames.depth > 0)
    at_leaf = True
    while len(stacks):
        label = frames.label[found.above[stacks]]
        inside = names.is_runtime[label]
        stacks, label = stacks[inside], label[inside]
        if at_leaf:
            found.leaf[stacks] = names.leaf[label]
            at_leaf = False
        found.any[stacks] |= names.any[label]
        found.unless[stacks] |= names.unless[label]
        called = ~names.is_switch[label] | (found.entry[stacks] == 0)
        found.entry[stacks[called]] = label[called]
        found.above[stacks] -= 1
        stacks = stacks[found.above[stacks] >= frames.start[stacks]]
    return found


def _payers(frames: StackFrames, names: _FunctionRuleBits, above: Index) -> I32:
    """The first frame that is neither the runtime's nor the standard library's, else the first not the runtime's."""
    user = np.zeros(frames.count, dtype=np.int32)
    library = np.zeros(frames.count, dtype=np.int32)
    is_library = ~names.is_runtime & ~names.is_nobody
    is_user = is_library & ~names.is_library
    here = above.copy()
    stacks = np.flatnonzero(here >= frames.start[:-1])
    while len(stacks):
        label = frames.label[here[stacks]]
        fresh = is_library[label] & (library[stacks] == 0)
        library[stacks[fresh]] = label[fresh]
        paying = is_user[label]
        user[stacks[paying]] = label[paying]
        stacks = stacks[~paying]
        here[stacks] -= 1
        stacks = stacks[here[stacks] >= frames.start[stacks]]
    return np.where(user > 0, user, library)
