/** Drafts that are not saved yet. They survive a reload and a visit to other pages of this tab. */
import { useState } from 'react';

const prefix = 'slowpath-draft-';
const ownerKey = 'slowpath-drafts-of';

export function findDraft(name: string): string | null {
  try {
    return sessionStorage.getItem(prefix + name);
  } catch {
    return null; // storage may be forbidden: then a draft lasts as long as its form
  }
}

export function saveDraft(name: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, text);
  } catch {
    // storage may be forbidden
  }
}

/** Deletes the drafts of another user, whose session may have expired in this tab. */
export function keepDraftsOf(userId: string): void {
  try {
    const owner = sessionStorage.getItem(ownerKey);
    if (owner !== null && owner !== userId) deleteDrafts();
    sessionStorage.setItem(ownerKey, userId);
  } catch {
    // storage may be forbidden
  }
}

/** Deletes all drafts, when their user signs out. */
export function deleteDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // storage may be forbidden
  }
}

/** Returns the draft of a form and its setter. `name` identifies it; if absent, none is stored. */
export function useDraft(name: string | undefined, first: string) {
  const [text, setText] = useState(() => (name && findDraft(name)) ?? first);
  const write = (next: string) => {
    setText(next);
    if (name) saveDraft(name, next === first ? '' : next);
  };
  return [text, write] as const;
}
