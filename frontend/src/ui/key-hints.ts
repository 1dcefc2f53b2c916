/** The keys of what is shown at present, for the list of shortcuts: a hint is listed as long as it is on the page. */
import { useEffect, useSyncExternalStore } from 'react';

export type KeyHintEntry = { keys: readonly string[]; words: string };

let shown: readonly KeyHintEntry[] = [];
const listeners = new Set<() => void>();

function set(next: readonly KeyHintEntry[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** List keys while the component is mounted. */
export function useKeyHint(keys: readonly string[], words: string): void {
  const joined = keys.join(' ');
  useEffect(() => {
    const entry = { keys: joined.split(' '), words };
    set([...shown, entry]);
    return () => set(shown.filter((other) => other !== entry));
  }, [joined, words]);
}

/** The keys of the page; those that several parts share are listed once. */
export function useShownKeyHints(): readonly KeyHintEntry[] {
  const hints = useSyncExternalStore(subscribe, () => shown);
  const named = new Map(hints.map((hint) => [`${hint.keys.join(' ')} ${hint.words}`, hint]));
  return [...named.values()];
}
