/** Words that are being written and were not kept yet: they outlive a reload and a look at another page, in this tab alone. */
import { useState } from 'react';

const prefix = 'slowpath-draft-';

export function draftOf(name: string): string | null {
  try {
    return sessionStorage.getItem(prefix + name);
  } catch {
    return null; // storage may be forbidden: then a draft lasts as long as its form
  }
}

export function keepDraft(name: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, text);
  } catch {
    // see above
  }
}

/** Nobody who signs in next finds what somebody else was writing. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // see above
  }
}

/** The text of a form, as it was left. `name` says of what it is; without one nothing is remembered. */
export function useDraft(name: string | undefined, first: string) {
  const [text, setText] = useState(() => (name && draftOf(name)) ?? first);
  const write = (next: string) => {
    setText(next);
    if (name) keepDraft(name, next === first ? '' : next);
  };
  return [text, write] as const;
}
