/** Groups comments into threads, ordered by their first comments, with the replies below. */
import type { Finding, PostedComment } from '../../../api';

export type Thread = { first: PostedComment; answers: PostedComment[] };

export function threadsOf(comments: PostedComment[]): Thread[] {
  const threads = new Map<string, Thread>();
  for (const comment of comments)
    if (comment.parent_id === null) threads.set(comment.id, { first: comment, answers: [] });
  for (const comment of comments)
    if (comment.parent_id !== null) threads.get(comment.parent_id)?.answers.push(comment);
  return [...threads.values()];
}

/**
 * Returns the identity of a finding in its comparison, independent of its position. The server
 * computes the same.
 */
export const findingPart = ({
  kind,
  profile_kind,
  subject,
  quantile,
  normalization,
}: Finding): string =>
  [kind, profile_kind, subject, quantile, normalization].map((word) => word ?? '').join('|');

export type Person = { id: string; name: string };

/** Returns the text typed after an `@`, and where it begins; null if no mention is being typed. */
export function mentionAt(text: string, caret: number): { from: number; typed: string } | null {
  const before = text.slice(0, caret);
  const from = before.lastIndexOf('@');
  if (from < 0 || /[\w@]/u.test(before[from - 1] ?? ' ')) return null;
  const typed = before.slice(from + 1);
  return /^[^\n@`]{0,60}$/u.test(typed) ? { from, typed } : null;
}

const MOST_SHOWN = 8;

/** Returns the people with a name in which a word begins with the typed text. */
export function matchMembers(people: Person[], typed: string): Person[] {
  const sought = typed.toLowerCase();
  return people
    .filter(({ name }) => {
      const lower = name.toLowerCase();
      return lower.startsWith(sought) || lower.includes(` ${sought}`);
    })
    .slice(0, MOST_SHOWN);
}

/** Returns the text with the mention inserted, and the caret position after it. */
export function insertMention(text: string, from: number, caret: number, name: string) {
  const before = `${text.slice(0, from)}@${name} `;
  return { text: before + text.slice(caret).replace(/^ /u, ''), caret: before.length };
}
