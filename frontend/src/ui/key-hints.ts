/** The keys of the components on the page, for the list of shortcuts. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';

export type KeyHintEntry = {
  keys: readonly string[];
  words: string;
  /** What must have the focus, as in "Flame graph"; absent if the keys work everywhere. */
  place?: string;
};
type Hints = { entries: readonly KeyHintEntry[] };

let shown: readonly Hints[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Hints[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Lists keys while the component is mounted. `entries`: the same array at every rendering. */
export function useKeyHints(entries: readonly KeyHintEntry[]): void {
  useEffect(() => {
    const hints = { entries };
    set([...shown, hints]);
    return () => set(shown.filter((other) => other !== hints));
  }, [entries]);
}

export function useKeyHint(keys: readonly string[], words: string): void {
  const joined = keys.join(' ');
  useKeyHints(useMemo(() => [{ keys: joined.split(' '), words }], [joined, words]));
}

/** Returns the keys of the page; several components may list the same keys. */
export const useShownKeyHints = (): readonly KeyHintEntry[] =>
  useSyncExternalStore(subscribe, () => shown).flatMap(({ entries }) => entries);
