/**
 * The state of a flame graph: one plain value that can be stored as JSON and in a link. It contains
 * no pixels and no frame numbers: a zoom is the hash of the names on the path to the frame, so it
 * is the same for all users.
 */

export const FLAME_MODES = ['overlay', 'side-by-side', 'base', 'candidate'] as const;
export type FlameMode = (typeof FLAME_MODES)[number];

export const ORIENTATIONS = ['icicle', 'flame'] as const;
export type Orientation = (typeof ORIENTATIONS)[number];

export type Granularity = 'package' | 'function' | 'line';

/** A pattern over names; an empty one means none. `regex: false` searches for the literal text. */
export type NamePattern = { pattern: string; regex: boolean; caseSensitive: boolean };

export type FlameView = {
  mode: FlameMode;
  orientation: Orientation;
  /** Id of the basis ("share", "mean", "per_second", "per_request"); `''` = the default. */
  basis: string;
  granularity: Granularity;
  /** {@link pathKey} of the frame that fills the width, or {@link namesKey}; `''` = everything. */
  zoom: string;
  /** The visible part of the zoomed frame, 0 = left edge, 1 = right edge; null = exactly all. */
  span: { from: number; to: number } | null;
  /** Regular expressions over names, as in pprof, in the order of application; `''` = none. */
  ignore: string;
  focus: string;
  hide: string;
  collapseRecursion: boolean;
  /** Whether callers in a row whose change comes from one callee are drawn as one frame. */
  collapseCallers: boolean;
  /** {@link pathKey}s of expanded callers, separated by commas; `''` = none. */
  expanded: string;
  /** Name of the function whose callers and callees are shown; `''` = the whole tree. */
  sandwich: string;
  search: NamePattern;
  /** Id of the runtime category whose frames are highlighted if one side is drawn alone. */
  category?: string;
};

export const EMPTY_VIEW: FlameView = {
  mode: 'overlay',
  orientation: 'icicle',
  basis: '',
  granularity: 'function',
  zoom: '',
  span: null,
  ignore: '',
  focus: '',
  hide: '',
  collapseRecursion: false,
  collapseCallers: false,
  expanded: '',
  sandwich: '',
  search: { pattern: '', regex: true, caseSensitive: false },
};

/** Two 32-bit states: with 64 bits, 500,000 paths collide with a probability below 10^-8. */
export type PathHash = { low: number; high: number };

/** The hash of the root, which has no names. */
export const ROOT_HASH: PathHash = { low: 0x9747b28c, high: 0x3c6ef372 };

/** Returns the hash of one name; compute it once per distinct name. */
export function nameHash(name: string): PathHash {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 15;
  }
  return { low: low >>> 0, high: high >>> 0 };
}

function mixed(state: number, word: number): number {
  let value = Math.imul(state ^ word, 0x85ebca6b);
  value ^= value >>> 13;
  value = Math.imul(value + 0x9e3779b9, 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Returns the hash of a path from the hash of its parent path and the hash of its last name. */
export function pathHash(parent: PathHash, name: PathHash): PathHash {
  return {
    low: mixed(parent.low, name.low ^ (parent.high >>> 7)),
    high: mixed(parent.high, name.high ^ parent.low),
  };
}

/** Returns a hash as sixteen hexadecimal digits. */
export function hashKey(hash: PathHash): string {
  return (
    (hash.high >>> 0).toString(16).padStart(8, '0') + (hash.low >>> 0).toString(16).padStart(8, '0')
  );
}

/** Returns the key of a frame, given the names from its outermost caller, without the root. */
export function pathKey(names: readonly string[]): string {
  if (names.length === 0) return '';
  return hashKey(names.reduce((hash, name) => pathHash(hash, nameHash(name)), ROOT_HASH));
}

const NAMES_KEY_PREFIX = 'n';

/**
 * Returns the key of a zoom to the heaviest frame whose path ends with these names. Findings have
 * such paths, without all callers.
 */
export function namesKey(names: readonly string[]): string {
  return names.length === 0 ? '' : NAMES_KEY_PREFIX + JSON.stringify(names);
}

/** Returns the names in a {@link namesKey}; null for other keys. */
export function namesOfKey(key: string): string[] | null {
  if (!key.startsWith(NAMES_KEY_PREFIX)) return null;
  try {
    const names: unknown = JSON.parse(key.slice(NAMES_KEY_PREFIX.length));
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : null;
  } catch {
    return null;
  }
}
