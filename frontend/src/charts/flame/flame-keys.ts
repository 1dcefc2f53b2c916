/** Which key does what: Speedscope's keys where it has them. A table, so that help and behaviour cannot differ. */

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

/** The action of a key press, or null: then the key belongs to the page or the browser. */
export function keyAction(press: KeyPress): KeyAction | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (press.shiftKey && Object.hasOwn(SHIFTED, press.key)) return SHIFTED[press.key] ?? null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  return Object.hasOwn(KEYS, key) ? (KEYS[key] ?? null) : null;
}

/** What the keys do, for the description that a screen reader reads once. */
export const describeKeys = (isOneSided: boolean): string =>
  'Arrow keys move between callers, callees and neighbours; Enter zooms to the frame; W and S zoom, A and D pan; ' +
  `0 shows everything; ${isOneSided ? '' : 'B base only, C candidate only, O overlay; '}F callers and callees; ` +
  'M opens the menu of the frame. The table below holds the same values.';
