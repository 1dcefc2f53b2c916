/** Rows of a function's assembly: instructions of one build or two, below their source lines. */
import type { AssemblyDocument, AssemblyInstruction, AssemblyListing } from '../../../api';
import { visibleName } from '../../../engine/flame/frame-label';
import { formatShare } from '../../../engine/format/format';

export type Side = 'base' | 'candidate';
export const SIDES: readonly Side[] = ['base', 'candidate'];

/** The text of the function's source lines, by line number. */
export type SourceText = ReadonlyMap<number, string>;

/** The origin of instructions: `clone.go:16`, the function inlined there, and the line's text. */
type SourcePlace = { place: string; inlined: string | null; text: string };

export type AssemblyRow =
  | { kind: 'source'; key: string; base: SourcePlace | null; candidate: SourcePlace | null }
  | {
      kind: 'code';
      key: string;
      base: AssemblyInstruction | null;
      candidate: AssemblyInstruction | null;
      change: 'same' | 'changed' | 'removed' | 'added';
    };

/** Returns the rows in order; a source line is repeated each time its instructions continue. */
export function assemblyRows(
  document: AssemblyDocument,
  texts: Partial<Record<Side, SourceText>>,
): AssemblyRow[] {
  const { base, candidate } = document;
  const pairs = base
    ? document.rows
    : candidate.instructions.map((_, index) => ({ base: null, candidate: index, same: true }));
  const shown: Record<Side, string> = { base: '', candidate: '' };
  const rows: AssemblyRow[] = [];
  for (const pair of pairs) {
    const one = { base: at(base, pair.base), candidate: at(candidate, pair.candidate) };
    const places = { base: null, candidate: null } as Record<Side, SourcePlace | null>;
    for (const side of SIDES) {
      const instruction = one[side];
      const listing = document[side];
      if (!instruction || !listing) continue;
      const place = `${instruction.file} ${instruction.line} ${instruction.function}`;
      if (place === shown[side]) continue;
      shown[side] = place;
      places[side] = placeOf(listing, instruction, texts[side]);
    }
    const key = `${pair.base ?? ''}/${pair.candidate ?? ''}`;
    if (places.base || places.candidate)
      rows.push({ kind: 'source', key: `line ${key}`, ...places });
    const alone = one.base ? 'removed' : base ? 'added' : 'same';
    const both = pair.same ? 'same' : 'changed';
    rows.push({ kind: 'code', key, ...one, change: one.base && one.candidate ? both : alone });
  }
  return rows;
}

const at = (listing: AssemblyListing | null, index: number | null): AssemblyInstruction | null =>
  index === null ? null : (listing?.instructions[index] ?? null);

function placeOf(
  { files, functions, instructions }: AssemblyListing,
  { file, line, function: origin }: AssemblyInstruction,
  text: SourceText | undefined,
): SourcePlace {
  const name = (files[file] ?? '').split('/').at(-1) ?? '';
  const isOwn = file === instructions.find((each) => each.function === 0)?.file;
  return {
    place: name === '' ? '?' : `${name}:${line}`,
    inlined: origin === 0 ? null : visibleName(functions[origin] ?? ''),
    text: isOwn && origin === 0 ? (text?.get(line)?.trim() ?? '') : '',
  };
}

const REASONS: Record<NonNullable<AssemblyListing['samples']['reason']>, string> = {
  'no-profiles': 'No profile was read for samples.',
  'no-build-id': 'The profiles name no build ID: samples cannot be assigned to instructions.',
  'other-build': 'The profiles are of another build: samples cannot be assigned to instructions.',
  'no-addresses': 'The profiles have no addresses: samples cannot be assigned to instructions.',
};

/** Describes a side: its sizes, its samples, and its name if another one was requested. */
export function listingText(
  { frame, size, omitted, samples, missing, ...rest }: AssemblyListing,
  asked = rest.name,
): string {
  if (missing === 'absent') return 'The executable has no such function.';
  if (missing === 'inlined')
    return `Every call is inlined, in ${rest.inlined_in.map((name) => visibleName(name)).join(', ')}.`;
  const cut = omitted > 0 ? ` Its last ${omitted.toLocaleString('en')} B are not shown.` : '';
  const of = `${samples.used} of ${samples.profiles} profiles (${samples.type})`;
  const sampled = samples.reason ? REASONS[samples.reason] : `Samples of ${of}.`;
  const name = rest.name === asked ? '' : `${visibleName(rest.name)}. `;
  return `${name}Frame ${frame.toLocaleString('en')} B, code ${size.toLocaleString('en')} B.${cut} ${sampled}`;
}

/**
 * Formats the shares of a side's samples at an instruction: self, and total if it differs. ''
 * without samples.
 */
export function sampleText(
  listing: AssemblyListing | null,
  one: AssemblyInstruction | null,
): string {
  if (!listing || !one || one.total === 0 || listing.samples.total === 0) return '';
  const total = formatShare(one.total / listing.samples.total);
  return one.self === one.total
    ? total
    : `${formatShare(one.self / listing.samples.total)} (${total})`;
}
