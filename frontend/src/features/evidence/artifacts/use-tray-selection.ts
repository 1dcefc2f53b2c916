/** The selected rows of the tray: by checkbox, or Shift for a range; and keys that act on them. */
import { useState, type KeyboardEvent } from 'react';
import { tray } from './tray-store';
import type { TrayItem } from './tray-types';
import type { SideName } from './side-guess';

export type TraySelection = {
  selected: ReadonlySet<string>;
  toggle: (key: string, range: boolean) => void;
  selectAll: () => void;
  clear: () => void;
};

/** `order` has the keys of all rows from the top. Rows that are gone are not selected. */
export function useTraySelection(order: readonly string[]): TraySelection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string | null>(null);
  const selected = new Set(order.filter((key) => chosen.has(key)));
  return {
    selected,
    toggle: (key, range) => {
      const next = new Set(selected);
      const [from, to] = [order.indexOf(anchor ?? ''), order.indexOf(key)];
      const isOn = !selected.has(key);
      const keys =
        range && from >= 0 ? order.slice(Math.min(from, to), Math.max(from, to) + 1) : [key];
      for (const each of keys) {
        if (isOn) next.add(each);
        else next.delete(each);
      }
      setChosen(next);
      setAnchor(key);
    },
    selectAll: () => setChosen(new Set(order)),
    clear: () => setChosen(new Set()),
  };
}

const SIDE_KEYS: Record<string, SideName | null> = { b: 'base', c: 'candidate', x: null };

/** Handles B, C, X and Delete for the selected rows, or the focused one; Ctrl+A and Escape. */
export function onTrayKey(
  event: KeyboardEvent,
  selection: TraySelection,
  items: readonly TrayItem[],
): void {
  if (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') return;
  const row = (event.target as Element).closest<HTMLElement>('[data-item]');
  const focused = items.find(({ key }) => key === row?.dataset.item);
  const keys = selection.selected.size > 0 ? [...selection.selected] : focused ? [focused.key] : [];
  const side = SIDE_KEYS[event.key.toLowerCase()];
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === 'a') selection.selectAll();
  else if (command || event.altKey || keys.length === 0) return;
  else if (side !== undefined) tray.place(keys, side);
  else if (event.key === 'Delete') tray.remove(keys);
  else if (event.key === 'Escape' && selection.selected.size > 0) selection.clear();
  else return;
  event.preventDefault();
}
