/** The keys of the flame graph. They are those of Speedscope where it has such a key. */
import type { KeyHintEntry } from '../../ui';

export type KeyAction =
  | 'pan-left'
  | 'pan-right'
  | 'zoom-in'
  | 'zoom-out'
  | 'reset'
  | 'leave'
  | 'page-up'
  | 'page-down'
  | 'cursor-up'
  | 'cursor-down'
  | 'cursor-left'
  | 'cursor-right'
  | 'cursor-home'
  | 'open'
  | 'menu'
  | 'base'
  | 'candidate'
  | 'overlay'
  | 'side-by-side'
  | 'callers'
  | 'lines'
  | 'next-match'
  | 'previous-match';

type KeyPress = {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
};

const KEYS: Record<string, KeyAction> = {
  a: 'pan-left',
  d: 'pan-right',
  w: 'zoom-in',
  s: 'zoom-out',
  '+': 'zoom-in',
  '=': 'zoom-in',
  '-': 'zoom-out',
  _: 'zoom-out',
  '0': 'reset',
  Escape: 'leave',
  PageUp: 'page-up',
  PageDown: 'page-down',
  ArrowUp: 'cursor-up',
  ArrowDown: 'cursor-down',
  ArrowLeft: 'cursor-left',
  ArrowRight: 'cursor-right',
  Home: 'cursor-home',
  Enter: 'open',
  ' ': 'open',
  ContextMenu: 'menu',
  m: 'menu',
  b: 'base',
  c: 'candidate',
  o: 'overlay',
  v: 'side-by-side',
  f: 'callers',
  l: 'lines',
  n: 'next-match',
};

const SHIFTED: Record<string, KeyAction> = {
  ArrowUp: 'zoom-in',
  ArrowDown: 'zoom-out',
  ArrowLeft: 'pan-left',
  ArrowRight: 'pan-right',
  F10: 'menu',
  N: 'previous-match',
};

/** Returns the action of a key press, or null if the key belongs to the page or the browser. */
export function keyAction(press: KeyPress): KeyAction | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (press.shiftKey && Object.hasOwn(SHIFTED, press.key)) return SHIFTED[press.key] ?? null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  return Object.hasOwn(KEYS, key) ? (KEYS[key] ?? null) : null;
}

const place = 'Flame graph';
const OF_ALL: readonly KeyHintEntry[] = [
  { keys: ['↑', '↓', '←', '→'], words: 'caller, callee, neighbours', place },
  { keys: ['Enter'], words: 'zoom to the frame', place },
  { keys: ['Esc'], words: 'one step out: frame, zoom, callers', place },
  { keys: ['w', 's'], words: 'zoom in, out', place },
  { keys: ['a', 'd'], words: 'pan left, right', place },
  { keys: ['0'], words: 'show everything', place },
  { keys: ['n', 'N'], words: 'next, previous match of the search', place },
  { keys: ['f'], words: 'callers and callees of the function', place },
  { keys: ['l'], words: 'source lines of the function', place },
  { keys: ['m'], words: 'menu of the frame', place },
];
const OF_SIDES: readonly KeyHintEntry[] = [
  { keys: ['b', 'c', 'o'], words: 'base only, candidate only, overlay', place },
  { keys: ['v'], words: 'side by side', place },
];
const OF_DIFF: readonly KeyHintEntry[] = [...OF_ALL, ...OF_SIDES];

/** Returns the keys for the list of shortcuts. */
export const flameKeyHints = (isOneSided: boolean): readonly KeyHintEntry[] =>
  isOneSided ? OF_ALL : OF_DIFF;

/** Describes the keys in text that a screen reader reads once. */
export const describeKeys = (isOneSided: boolean): string =>
  'Arrow keys move between callers, callees and neighbours; Enter zooms to the frame; W and S zoom, A and D pan; ' +
  `0 shows everything; ${isOneSided ? '' : 'B base only, C candidate only, O overlay; '}F callers and callees; ` +
  'M opens the menu of the frame. The table below holds the same values.';
