/** Patterns over names that users type: compiled once, and matched once per distinct name. */
import type { NamePattern } from './flame-view';
import type { NameTable } from './name-table';

/** Longer than any pattern that a user types or a menu creates; a pattern may come from a link. */
const PATTERN_MAX_LENGTH = 1000;
/** The part of a name that is matched; longer names, up to 64 KiB, could make patterns slow. */
const SUBJECT_MAX_LENGTH = 4096;

export class PatternError extends Error {
  declare protected readonly brand: true; // otherwise TypeScript accepts any object of this shape

  constructor(message: string) {
    super(message);
    this.name = 'PatternError';
  }
}

/** Escapes a text as a pattern that matches it literally. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&');
}

/** Returns a pattern that matches exactly this name. */
export function exactly(name: string): string {
  return `^${literal(name)}$`;
}

/** Returns the search that finds exactly this name. */
export const exactSearch = (name: string): NamePattern => ({
  pattern: exactly(name),
  regex: true,
  caseSensitive: true,
});

/** @returns null for an empty pattern. @throws PatternError with a message for the user */
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

/**
 * The number of unbounded quantifiers that a pattern may have outside a worker: with n of them, a
 * name of length l can need l^n steps.
 */
const QUICK_QUANTIFIERS = 2;
const UNBOUNDED = /(?<!\\)(?:[*+]|\{\d+,\})/gu;
/** A quantified group, a back reference or a look-around, which can need exponential time. */
const DANGEROUS = /\)(?:[*+]|\{\d)|\\[1-9k]|\(\?[=!<]/u;

/**
 * Returns whether a pattern is fast on every name; false if that is not certain. Patterns may come
 * from links, so only fast ones run on the main thread. Others run in the worker, which can be
 * terminated.
 */
export function isQuick({ pattern, regex }: NamePattern): boolean {
  if (!regex) return true;
  return !DANGEROUS.test(pattern) && (pattern.match(UNBOUNDED)?.length ?? 0) <= QUICK_QUANTIFIERS;
}

/** Returns a flag for each name: 1 if the pattern matches. */
export function matchNames(names: NameTable, pattern: RegExp): Uint8Array<ArrayBuffer> {
  const flags = new Uint8Array(names.count);
  for (let id = 0; id < names.count; id++) {
    const text = names.text(id);
    if (pattern.test(text.length > SUBJECT_MAX_LENGTH ? text.slice(0, SUBJECT_MAX_LENGTH) : text))
      flags[id] = 1;
  }
  return flags;
}
