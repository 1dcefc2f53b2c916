"""Attribute every stack to one category, one entry and one attributed caller.

The category is the part of the runtime that worked; the entry is the runtime function that user code called; the attributed
caller is the first user frame below it. All three come from the runtime prefix of a stack: the frames from the leaf up to
the first that is not the runtime's (`go_runtime_categories.json`, "how").
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.go_function_names import is_standard
from slowpath.analysis.kinds.profiles.categories.runtime_category_rules import RuntimeCategoryRules, runtime_rules
from slowpath.analysis.kinds.profiles.decoded.function_keys import Labels
from slowpath.analysis.kinds.profiles.stacks.stack_frames import I32, U64, Index, StackFrames

Mask = NDArray[np.bool_]
U8 = NDArray[np.uint8]

# The root has no name; placeholders of the profiler are in brackets.
_NO_FUNCTION = frozenset({"", "["})
# These switch the stack without calling: an entry is next to them.
STACK_SWITCHES = frozenset({"runtime.systemstack", "runtime.systemstack_switch"})

GROUPS = {
    "gc": ("gc-mark", "gc-assist", "gc-sweep", "gc-scavenge", "gc-write-barrier"),
    "lock": ("lock-runtime", "lock-sync"),
}


@dataclass(frozen=True)
class StackAttribution:
    """The attribution of each stack.

    Per stack: `category` indexes `categories`; `entry` is the label of the called runtime function and `attributed_caller` that of the
    attributed caller, both 0 if there is none; `entry_category` is the entry's own. Per label: `is_runtime`, `is_library` (the
    standard library, or no function) and `is_nobody` (no function: the root, or a placeholder of the profiler).
    """

    categories: tuple[str, ...]
    category: U8
    entry: I32
    entry_category: U8
    attributed_caller: I32
    is_runtime: Mask
    is_library: Mask
    is_placeholder: Mask

    def of(self, subject: str) -> Mask:
        """Return which stacks belong to a category or to a group of categories."""
        members = [self.categories.index(part) for part in GROUPS.get(subject, (subject,))]
        return np.isin(self.category, members)


@dataclass(frozen=True)
class _FunctionRuleBits:
    """The rules that each label matches."""

    is_runtime: Mask
    is_library: Mask
    is_placeholder: Mask
    is_switch: Mask
    any: U64
    unless: U64
    leaf: U64

    @classmethod
    def of(cls, rules: RuntimeCategoryRules, labels: Labels) -> "_FunctionRuleBits":
        keys = labels.keys
        is_runtime, is_library, is_placeholder = (np.zeros(len(keys), dtype=np.bool_) for _ in range(3))
        for row in np.flatnonzero(~labels.numbers.of_modules()).tolist():
            is_runtime[row] = rules.runtime_prefix.match(keys[row]) is not None
            is_library[row] = not keys[row] or is_standard(keys[row])
            is_placeholder[row] = keys[row][:1] in _NO_FUNCTION
        runtime = np.flatnonzero(is_runtime)
        matched, unless, leaf = (np.zeros(len(keys), dtype=np.uint64) for _ in range(3))
        for row in runtime.tolist():  # few of a program's functions are the runtime's
            bits = rules.bits(keys[row])
            matched[row], unless[row], leaf[row] = bits.any, bits.unless, bits.leaf
        is_switch = np.zeros(len(keys), dtype=np.bool_)
        switches = map(labels.numbers.find, STACK_SWITCHES)
        is_switch[[number for number in switches if number is not None]] = True
        return cls(
            is_runtime=is_runtime,
            is_library=is_library,
            is_placeholder=is_placeholder,
            is_switch=is_switch,
            any=matched,
            unless=unless,
            leaf=leaf,
        )


def attribute_stacks(frames: StackFrames, labels: Labels) -> StackAttribution:
    """Return category, entry and attributed caller of every stack."""
    rules = runtime_rules()
    names = _FunctionRuleBits.of(rules, labels)
    prefix = _runtime_prefixes(frames, names)
    return StackAttribution(
        categories=rules.categories,
        category=categories_of(prefix.any, prefix.unless, prefix.leaf, len(rules.rules)),
        entry=prefix.entry,
        entry_category=categories_of(names.any, names.unless, names.leaf, len(rules.rules))[prefix.entry],
        attributed_caller=_find_attributed_callers(frames, names, prefix.above),
        is_runtime=names.is_runtime,
        is_library=names.is_library,
        is_placeholder=names.is_placeholder,
    )


def categories_of(matched: U64, unless: U64, leaf: U64, rules: int) -> U8:
    """Return the first rule that matches.

    Some frame of the prefix (and none that it excludes), or the leaf. Without a match it is the application's, category
    0.
    """
    matching = (matched & ~unless) | leaf
    category = np.zeros(len(matching), dtype=np.uint8)
    for number in reversed(range(rules)):
        category[(matching >> np.uint64(number)) & np.uint64(1) == 1] = number + 1
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
    """Walk from the leaf upwards, all stacks at once, each until its first frame that is not the runtime's."""
    count = frames.count
    prefixes = _RuntimePrefixes(
        any=np.zeros(count, dtype=np.uint64),
        unless=np.zeros(count, dtype=np.uint64),
        leaf=np.zeros(count, dtype=np.uint64),
        entry=np.zeros(count, dtype=np.int32),
        above=frames.start[1:] - 1,
    )
    stacks = np.flatnonzero(frames.depth > 0)
    at_leaf = True
    while len(stacks):
        label = frames.label[prefixes.above[stacks]]
        inside = names.is_runtime[label]
        stacks, label = stacks[inside], label[inside]
        if at_leaf:
            prefixes.leaf[stacks] = names.leaf[label]
            at_leaf = False
        prefixes.any[stacks] |= names.any[label]
        prefixes.unless[stacks] |= names.unless[label]
        called = ~names.is_switch[label] | (prefixes.entry[stacks] == 0)
        prefixes.entry[stacks[called]] = label[called]
        prefixes.above[stacks] -= 1
        stacks = stacks[prefixes.above[stacks] >= frames.start[stacks]]
    return prefixes


def _find_attributed_callers(frames: StackFrames, names: _FunctionRuleBits, above: Index) -> I32:
    """Return the first frame of user code, else the first outside the runtime."""
    user = np.zeros(frames.count, dtype=np.int32)
    library = np.zeros(frames.count, dtype=np.int32)
    is_library = ~names.is_runtime & ~names.is_placeholder
    is_user = is_library & ~names.is_library
    here = above.copy()
    stacks = np.flatnonzero(here >= frames.start[:-1])
    while len(stacks):
        label = frames.label[here[stacks]]
        is_first = is_library[label] & (library[stacks] == 0)
        library[stacks[is_first]] = label[is_first]
        is_caller = is_user[label]
        user[stacks[is_caller]] = label[is_caller]
        stacks = stacks[~is_caller]
        here[stacks] -= 1
        stacks = stacks[here[stacks] >= frames.start[stacks]]
    return np.where(user > 0, user, library)
