/** Comments as they are laid out: threads in the order of their beginnings, answers below. */
import type { Finding, SaidComment } from '../../api';

export type Thread = { first: SaidComment; answers: SaidComment[] };

export function threadsOf(comments: SaidComment[]): Thread[] {
  const threads = new Map<string, Thread>();
  for (const comment of comments)
    if (comment.parent_id === null) threads.set(comment.id, { first: comment, answers: [] });
  for (const comment of comments)
    if (comment.parent_id !== null) threads.get(comment.parent_id)?.answers.push(comment);
  return [...threads.values()];
}

/** By what a finding is known in its comparison, wherever it stands in the list: as the server has it. */
export const findingPart = ({ kind, profile, subject, quantile, basis }: Finding): string =>
  [kind, profile, subject, quantile, basis].map((word) => word ?? '').join('|');

export type Person = { id: string; name: string };

/** What is being typed after an `@`, and where it begins; null when nobody is being named. */
export function naming(text: string, caret: number): { from: number; typed: string } | null {
  const before = text.slice(0, caret);
  const from = before.lastIndexOf('@');
  if (from < 0 || /[\w@]/u.test(before[from - 1] ?? ' ')) return null;
  const typed = before.slice(from + 1);
  return /^[^\n@`]{0,60}$/u.test(typed) ? { from, typed } : null;
}

const MOST_SHOWN = 8;

/** Who may be meant: names of which a word begins as typed. */
export function meant(people: Person[], typed: string): Person[] {
  const sought = typed.toLowerCase();
  return people
    .filter(({ name }) => {
      const lower = name.toLowerCase();
      return lower.startsWith(sought) || lower.includes(` ${sought}`);
    })
    .slice(0, MOST_SHOWN);
}

/** The text with a name in the place of what was typed, and where the caret stands then. */
export function named(text: string, from: number, caret: number, name: string) {
  const before = `${text.slice(0, from)}@${name} `;
  return { text: before + text.slice(caret).replace(/^ /u, ''), caret: before.length };
}
