/** Shortcuts of the inbox, and what they do to the cursor and the selection. No side effects. */

/** The menus of the action bar, and the forms of actions for which a choice is not enough. */
export type TriageMenu =
  | 'assign'
  | 'set-state'
  | 'fixed-by'
  | 'merge'
  | 'mute'
  | 'set-due'
  | 'snooze'
  | 'snooze-until';

export type Command =
  | { type: 'move'; by: 1 | -1 }
  | { type: 'select' }
  | { type: 'select-all' }
  | { type: 'open' }
  | { type: 'clear' }
  | { type: 'read' }
  | { type: 'undo' }
  | { type: 'help' }
  | { type: 'menu'; menu: TriageMenu };

const menu = (name: TriageMenu): Command => ({ type: 'menu', menu: name });

const COMMANDS = new Map<string, Command>([
  ['j', { type: 'move', by: 1 }],
  ['ArrowDown', { type: 'move', by: 1 }],
  ['k', { type: 'move', by: -1 }],
  ['ArrowUp', { type: 'move', by: -1 }],
  ['x', { type: 'select' }],
  ['X', { type: 'select-all' }],
  ['Enter', { type: 'open' }],
  ['Escape', { type: 'clear' }],
  ['a', menu('assign')],
  ['s', menu('set-state')],
  ['f', menu('fixed-by')],
  ['m', menu('merge')],
  ['z', menu('snooze')],
  ['n', menu('mute')],
  ['d', menu('set-due')],
  ['r', { type: 'read' }],
  ['u', { type: 'undo' }],
  ['?', { type: 'help' }],
]);

/** Descriptions of the keys, for the list of shortcuts. */
export const SHORTCUTS: [string[], string][] = [
  [['j', 'k', '↓', '↑'], 'move to the next or previous item'],
  [['x'], 'select the item'],
  [['X'], 'select all items shown, or none'],
  [['Enter'], 'open the item'],
  [['a'], 'assign'],
  [['s'], 'set the state'],
  [['f'], 'mark as fixed by a commit, build or deployment'],
  [['m'], 'merge into one item'],
  [['z'], 'snooze'],
  [['n'], 'mute, with a reason'],
  [['d'], 'set the due date'],
  [['r'], 'mark as read, or as unread if all are read'],
  [['u'], 'undo the last action'],
  [['1–9'], 'choose from the open menu'],
  [['Esc'], 'close the menu, then clear the selection'],
  [['?'], 'show this list'],
];

type Pressed = {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  target: EventTarget | null;
};

/** Elements that handle keys themselves: fields, menus and dialogs. */
const OWN_KEYS =
  'textarea, select, [contenteditable], input:not([type=checkbox]), [role=menu], [role=dialog]';
/** Elements that the browser activates on Enter: links, buttons and summaries. */
const OPENED_BY_ENTER = 'a, button, summary';

/** Returns the command of a key, or null if the key has none or the focused element handles it. */
export function commandOf({ key, ctrlKey, metaKey, altKey, target }: Pressed): Command | null {
  if (ctrlKey || metaKey || altKey) return null;
  const element = target instanceof Element ? target : null;
  if (element?.closest(OWN_KEYS)) return null;
  if (key === 'Enter' && element?.closest(OPENED_BY_ENTER)) return null;
  return COMMANDS.get(key) ?? null;
}

/**
 * Returns the key of the row to which the cursor moves. A cursor that is not set moves to the first
 * row.
 */
export function movedCursor(
  keys: readonly string[],
  cursor: string | null,
  by: number,
): string | null {
  const at = cursor === null ? -1 : keys.indexOf(cursor);
  if (at < 0) return keys[0] ?? null;
  return keys[Math.max(0, Math.min(keys.length - 1, at + by))] ?? null;
}

/**
 * Returns the cursor after the rows changed: its row if that is still listed, else the next row
 * that is, else the last row.
 * @param before the rows as they were when the cursor was set.
 */
export function keptCursor(
  before: readonly string[],
  now: readonly string[],
  cursor: string | null,
): string | null {
  if (cursor === null || now.includes(cursor)) return cursor;
  const at = before.indexOf(cursor);
  const left = before.slice(Math.max(0, at)).find((key) => now.includes(key));
  return left ?? now.at(-1) ?? null;
}

export function toggled(selection: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selection);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Returns the rows that an action applies to: those selected, else the one at the cursor. */
export function targetsOf<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  selection: ReadonlySet<string>,
  cursor: string | null,
): Row[] {
  const selected = rows.filter((row) => selection.has(keyOf(row)));
  return selected.length > 0 ? selected : rows.filter((row) => keyOf(row) === cursor);
}
