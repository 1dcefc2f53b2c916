/**
 * The texts of a comparison: the verdict in one sentence with its number, and names of things. No
 * side effects.
 */
import type {
  Comparison,
  ComparisonResult,
  Finding,
  TotalChange,
  ProfileKindSummary,
  AttributedCaller,
} from '../../../../api';
import { changeOf, type Change } from '../../../../engine/format/change-class';
import { normalizationPhrase } from '../../../../engine/format/change-wording';
import {
  formatRatio,
  formatRatioRange,
  formatValue,
  unitOf,
} from '../../../../engine/format/format';
import { visibleName } from '../../../../engine/flame/frame-label';
import { categoryLabel, kindLabel } from '../../../../engine/format/profile-labels';
import { foldersOf, shortName } from '../../../../engine/format/short-function-name';
import { shortCommit } from '../../../../lib/commits';

export { categoryLabel, foldersOf, kindLabel, shortName };

/** `whole`: the text has no line break. */
export type Part = { text: string; tone?: 'more' | 'less'; code?: boolean; whole?: boolean };

/** The names of occupants of the processors that are not goroutine groups. */
const OCCUPANTS: Record<string, string> = {
  gc: 'the GC',
  workers: 'GC workers',
  syscall: 'system calls',
  runtime: 'the runtime',
  'wake-up': 'late wake-ups',
};

/**
 * Returns the name of a part of a finding: a category, a class of stack, a goroutine group, or what
 * a group did ("assist|main.caller").
 */
export function partName(subject: string, kind: string): Part {
  if (kind.startsWith('profile.')) {
    // A category, or the runtime function at which the change starts.
    return subject.includes('.')
      ? { text: shortName(subject), code: true }
      : { text: categoryLabel(subject) };
  }
  if (!kind.startsWith('trace.')) return { text: subject };
  if (kind === 'trace.waiting') return { text: waiterLabel(subject) };
  const bar = subject.indexOf('|');
  const holder = OCCUPANTS[subject];
  if (holder !== undefined) return { text: holder };
  if (bar >= 0) return { text: `${shortName(subject.slice(bar + 1))}, ${subject.slice(0, bar)}` };
  return { text: shortName(subject), code: true };
}

/** Formats a waiter ("group|reason"). */
export const waiterLabel = (subject: string): string => {
  const group = groupOf(subject);
  return group === subject
    ? shortName(subject)
    : `${shortName(group)}, ${subject.slice(group.length + 1)}`;
};

/** Returns the path to the attributed caller, without the runtime frames below it. */
export function pathTo({ path, function: name }: AttributedCaller): string[] {
  const at = path.lastIndexOf(name);
  if (at < 0) return path.length > 0 ? path : [name];
  return path.slice(0, at + 1);
}

/** Returns how a change is drawn. A tentative one is drawn as noise: open and gray. */
export function changeOfFinding(finding: Finding): Change {
  if (!finding.is_significant) return 'noise';
  const more = finding.candidate > finding.base;
  if (finding.base === 0) return 'only-candidate';
  if (finding.candidate === 0) return 'only-base';
  return changeOf(more ? 1 : 2);
}

const groupOf = (subject: string): string => {
  const bar = subject.lastIndexOf('|');
  return bar < 0 ? subject : subject.slice(0, bar);
};

/**
 * Whether a kind was recorded as profiles. Kinds derived from traces and growth logs have their own
 * sections.
 */
const isProfileKind = ({ kind }: ProfileKindSummary): boolean =>
  !kind.startsWith('trace-') && !['growth', 'spans', 'critical-path'].includes(kind);

const namesOf = (finding: Finding): string[] =>
  [
    finding.kind === 'profile.function' ? finding.subject : '',
    // Subjects ("group|reason") and occupants both contain names of goroutine groups.
    ...(finding.kind.startsWith('trace.')
      ? [finding.subject, ...finding.contributions.map(({ subject }) => subject)].map(groupOf)
      : []),
    ...finding.attributed_callers.flatMap((caller) => [caller.function, caller.entry ?? '']),
  ]
    .filter((name) => name !== '')
    .flatMap((name) => [name, shortName(name)]);

/**
 * Splits a sentence into words and identifiers, longest names first; identifiers are shown in
 * monospace.
 */
export function withNames(sentence: string, names: string[]): Part[] {
  const known = [...new Set(names)]
    .filter((name) => name.length > 2)
    .sort((a, b) => b.length - a.length);
  let parts: Part[] = [{ text: sentence }];
  for (const name of known) {
    parts = parts.flatMap((part) => {
      if (part.code) return [part];
      const pieces = part.text.split(name);
      return pieces.flatMap((text, index): Part[] =>
        index === 0 ? [{ text }] : [{ text: name, code: true }, { text }],
      );
    });
  }
  return parts.filter(({ text }) => text !== '');
}

/**
 * Removes "(×1.09, 1.05 to 1.13)" and the final period: the effect is shown beside the sentence.
 */
const bare = (sentence: string): string =>
  sentence.replace(/\s*\(×[^)]*\)/u, '').replace(/\.$/u, '');

/**
 * Returns the sentence of a finding for its row, without the attributed caller, which has a column.
 */
export function findingParts(finding: Finding): Part[] {
  return withNames(
    bare(finding.sentence).replace(/, (?:attributed to|paid by) .*$/u, ''),
    namesOf(finding),
  );
}

/** Matches the words of direction and amount: "32% more CPU per request", "takes more time". */
const AMOUNT =
  /\b[\d.,]+ ?% (?:more|less)\b[^;,.:(]*|\b(?:takes|allocates|holds|waits|has|creates) (?:more|less|longer|fewer)(?: time| objects| memory| threads| goroutines)?/u;

function toned(parts: Part[]): Part[] {
  return parts.flatMap((part) => {
    const found = part.code ? null : AMOUNT.exec(part.text);
    if (!found) return [part];
    const tone = /more|longer/u.test(found[0]) ? ('more' as const) : ('less' as const);
    return [
      { text: part.text.slice(0, found.index) },
      { text: found[0].trimEnd(), tone },
      { text: part.text.slice(found.index + found[0].trimEnd().length) },
    ].filter(({ text }) => text !== '');
  });
}

/**
 * Returns the headline of the result. The page does not compose other statements, which could
 * contradict it.
 */
export function verdictParts({ headline, findings }: ComparisonResult): Part[] {
  return toned(withNames(headline.sentence.replace(/\.$/u, ''), findings.flatMap(namesOf)));
}

/**
 * Formats a gap of spans ("service/op|previous|next") as findings do: "the gap in api push before
 * query".
 */
export function gapLabel(subject: string): string {
  const parts = subject.split('|');
  const [next, previous] = [parts.pop() ?? '', parts.pop() ?? ''];
  const owner = visibleName(parts.join('|').replace('/', ' '));
  if (previous === 'START' && next === 'END') return `the self time of ${owner}`;
  if (previous === 'START') return `the gap in ${owner} before ${visibleName(next)}`;
  if (next === 'END') return `the gap in ${owner} after ${visibleName(previous)}`;
  return `the gap in ${owner} between ${visibleName(previous)} and ${visibleName(next)}`;
}

/** Returns one line of details: exact values, interval, conditions. */
export function exactText(result: ComparisonResult): string {
  const parts: string[] = [];
  const { total } = result.headline;
  if (total) {
    const per = normalizationPhrase(unitOf(total.unit));
    const was = `${formatValue(total.candidate, total.unit)}${per && ` ${per}`}, was ${formatValue(total.base, total.unit)}`;
    parts.push(`${was}${intervalText(total)}`);
  }
  const profiles = result.profile_kinds.filter(isProfileKind);
  if (profiles.length > 0)
    parts.push(
      `${profiles.map(({ kind }) => kindLabel(kind).replace(/s$/u, '')).join(', ')} profiles`,
    );
  parts.push(...metadataText(result));
  return parts.join(' · ');
}

function intervalText({ ratio, ci_low, ci_high, ci_of, confidence_level }: TotalChange): string {
  if (ci_of !== 'ratio' || ratio === null) return '';
  const range = formatRatioRange(ci_low, ci_high, 'sentence');
  return ` (${formatRatio(ratio)}, ${Math.round(confidence_level * 100)}% CI ${range})`;
}

function metadataText({ sides }: ComparisonResult): string[] {
  const [base, candidate] = [sides.base.run_metadata, sides.candidate.run_metadata];
  const same = (name: 'goos' | 'goarch' | 'go_version'): string | null =>
    base[name] === candidate[name] ? (base[name] ?? null) : null;
  const platform = [same('goos'), same('goarch')].filter((word) => word !== null).join('/');
  return [platform, same('go_version') ?? ''].filter((text) => text !== '');
}

/** Returns the name of a side: its label, otherwise its short commit. */
export function sideLabel(comparison: Comparison, side: 'base' | 'candidate'): string {
  const commit = comparison.result?.sides[side].run_metadata.commit;
  const { label } = comparison[side];
  // A label that is "base" would only repeat the mark of the side.
  if (label && label !== side) return label;
  return shortCommit(commit ?? '');
}

export const VERDICT_LABELS = {
  regressed: 'regressed',
  improved: 'improved',
  mixed: 'mixed',
  unchanged: 'unchanged',
  inconclusive: 'inconclusive',
} as const;
