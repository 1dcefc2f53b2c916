/** Patterns people type over names, compiled once and asked once for each different name. */
import type { NamePattern } from './flame-view';
import type { NameTable } from './name-table';

/** Longer than any name one would type or a menu would make; a pattern may come from a link. */
const PATTERN_MAX_LENGTH = 1000;
/** What of a name a pattern looks at: names of 64 KiB exist only to make patterns slow. */
const SUBJECT_MAX_LENGTH = 4096;

export class PatternError extends Error {
  declare protected readonly brand: true; // without it any object of this shape would pass for one

  constructor(message: string) {
    super(message);
    this.name = 'PatternError';
  }
}

/** A text as a pattern that finds exactly it. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&');
}

/** A pattern that finds exactly this one name. */
export function exactly(name: string): string {
  return `^${literal(name)}$`;
}

/** The search that finds exactly this one name. */
export const exactSearch = (name: string): NamePattern => ({
  pattern: exactly(name),
  regex: true,
  caseSensitive: true,
});

/** @returns null for an empty pattern. @throws PatternError in words for the person who typed it. */
export function compilePattern({ pattern, regex, caseSensitive }: NamePattern): RegExp | null {
  if (pattern === '') return null;
  if (pattern.length > PATTERN_MAX_LENGTH) {
    throw new PatternError(
      `The pattern has ${pattern.length} characters; the limit is ${PATTERN_MAX_LENGTH}`,
    );
  }
  try {
    return new RegExp(regex ? pattern : literal(pattern), caseSensitive ? '' : 'i');
  } catch (cause) {
    const reason =
      cause instanceof Error
        ? cause.message.replace(/^Invalid regular expression: /u, '')
        : 'unreadable';
    throw new PatternError(`Not a regular expression: ${reason}`);
  }
}

/** Unbounded quantifiers that a pattern may have to be tried outside a worker: with n of them a name of length l can take l^n steps. */
const QUICK_QUANTIFIERS = 2;
const UNBOUNDED = /(?<!\\)(?:[*+]|\{\d+,\})/gu;
/** A quantified group, a back reference or a look-around: what can make a search take exponential time. */
const DANGEROUS = /\)(?:[*+]|\{\d)|\\[1-9k]|\(\?[=!<]/u;

/**
 * Whether a pattern ends soon on every name. Patterns come from links too, so only such ones may be tried where nothing can
 * end them; the others are left to the worker. Errs on the safe side.
 */
export function isQuick({ pattern, regex }: NamePattern): boolean {
  if (!regex) return true;
  return !DANGEROUS.test(pattern) && (pattern.match(UNBOUNDED)?.length ?? 0) <= QUICK_QUANTIFIERS;
}

/** One flag for each name: 1 where the pattern finds something. */
export function matchNames(names: NameTable, pattern: RegExp): Uint8Array<ArrayBuffer> {
  const flags = new Uint8Array(names.count);
  for (let id = 0; id < names.count; id++) {
    const text = names.text(id);
    if (pattern.test(text.length > SUBJECT_MAX_LENGTH ? text.slice(0, SUBJECT_MAX_LENGTH) : text))
      flags[id] = 1;
  }
  return flags;
}
