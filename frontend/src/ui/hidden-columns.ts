import { useState } from 'react';
import { getPreference, setPreference } from './local-preferences';

/** @returns the hidden columns of a list, and how to change them. */
export function useHiddenColumns(list: string): [ReadonlySet<string>, (hidden: string[]) => void] {
  const key = `hidden-columns-${list}`;
  const [hidden, setHidden] = useState(() => new Set((getPreference(key) ?? '').split(',')));
  const change = (next: string[]) => {
    setPreference(key, next.join(','));
    setHidden(new Set(next));
  };
  return [hidden, change];
}
