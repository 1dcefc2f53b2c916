/**
 * The cursor, the selection and the open menu of the inbox, and their shortcuts, which work
 * wherever the focus is on the page.
 */
import { useEffect, useEffectEvent, useState } from 'react';
import type { InboxItem } from '../../../api';
import {
  commandOf,
  keptCursor,
  movedCursor,
  targetsOf,
  toggled,
  type Command,
  type TriageMenu,
} from './inbox-keys';
import { itemKey } from './inbox-wording';

export type InboxKeys = {
  cursor: string | null;
  selection: ReadonlySet<string>;
  /** The items that an action applies to. */
  targets: InboxItem[];
  isSelection: boolean;
  opened: TriageMenu | 'help' | null;
  setCursor: (key: string) => void;
  toggle: (key: string) => void;
  clear: () => void;
  open: (menu: TriageMenu | 'help' | null) => void;
};

type KeysRequest = {
  items: readonly InboxItem[];
  mayWrite: boolean;
  onOpen: (item: InboxItem) => void;
  onRead: (items: InboxItem[]) => void;
  onUndo: () => void;
};

const rowOf = (key: string) => document.querySelector<HTMLElement>(`[data-key=${CSS.escape(key)}]`);

/** Focuses a row and scrolls it into view, above the action bar. */
function focusRow(key: string): void {
  const row = rowOf(key);
  row?.scrollIntoView({ block: 'nearest' });
  row?.focus({ preventScroll: true });
}

export function useInboxKeys({ items, mayWrite, onOpen, onRead, onUndo }: KeysRequest): InboxKeys {
  const keys = items.map(itemKey);
  const [place, setPlace] = useState<{ key: string | null; among: string[] }>({
    key: null,
    among: [],
  });
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<TriageMenu | 'help' | null>(null);
  // The cursor is on the first row until it is moved, so that shortcuts always have a target.
  const cursor = keptCursor(place.among, keys, place.key) ?? keys[0] ?? null;
  const targets = targetsOf(items, itemKey, selection, cursor);
  const isSelection = items.some((item) => selection.has(itemKey(item)));
  const setCursor = (key: string) => setPlace({ key, among: keys });
  const toggle = (key: string) => setSelection(toggled(selection, key));
  const clear = () => setSelection(new Set());

  const run = (command: Command) => {
    switch (command.type) {
      case 'move': {
        const to = place.key === null && command.by > 0 ? keys[0] : undefined;
        const key = to ?? movedCursor(keys, cursor, command.by);
        if (key === null) return;
        setCursor(key);
        focusRow(key);
        return;
      }
      case 'select':
        if (cursor !== null && mayWrite) toggle(cursor);
        return;
      case 'select-all':
        if (mayWrite) setSelection(new Set(isSelection ? [] : keys));
        return;
      case 'open': {
        const item = items.find((each) => itemKey(each) === cursor);
        if (item) onOpen(item);
        return;
      }
      case 'menu':
        if (mayWrite && targets.length > 0) setOpened(command.menu);
        return;
      case 'read':
        onRead(targets);
        return;
      case 'undo':
        if (mayWrite) onUndo();
        return;
      case 'help':
        setOpened('help');
        return;
      case 'clear':
        if (opened === null) clear();
        setOpened(null);
    }
  };
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const command = commandOf(event);
    if (!command) return;
    if (command.type !== 'clear') event.preventDefault();
    run(command);
  });
  useEffect(() => {
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return {
    cursor,
    selection,
    targets,
    isSelection,
    opened,
    setCursor,
    toggle,
    clear,
    open: setOpened,
  };
}
