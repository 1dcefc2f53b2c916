/** What a comparison says of itself: the verdict in one sentence with its number, and names of things. Value in, words out. */
import type { Comparison, ComparisonResult, Finding, KindResult, Payer } from '../../api';
import {
  changeOf,
  formatRatio,
  formatRatioRange,
  formatValue,
  perWords,
  unitOf,
  type Change,
  visibleName,
} from '../../engine';
import { foldersOf, shortName } from '../../engine/short-name';
import { countOf } from '../../ui';

export { foldersOf, shortName };

export type Part = { text: string; tone?: 'more' | 'less'; code?: boolean };

const CATEGORIES: Record<string, string> = {
  total: 'everything',
  app: 'application',
  gc: 'garbage collection',
  lock: 'locks',
  'stack-growth': 'stack growth (morestack)',
  'gc-mark': 'GC mark',
  'gc-assist': 'GC assist',
  'gc-sweep': 'GC sweep',
  'gc-scavenge': 'GC scavenge',
  'gc-write-barrier': 'GC write barrier',
  'lock-runtime': 'runtime locks',
  'lock-sync': 'locks (sync)',
  'string-bytes': 'string and bytes',
  'memmove-memclr': 'memmove, memclr',
  'defer-panic': 'defer, panic',
  'time-read': 'reading the time',
  'finalizer-special': 'finalizers',
  'sync-pool-map-atomic': 'sync.Pool, sync.Map',
  'profiler-overhead': 'the profiler itself',
  'runtime-other': 'other runtime',
};

export function categoryLabel(id: string): string {
  return CATEGORIES[id] ?? id.replaceAll('-', ' ');
}

const KINDS: Record<string, { noun: string; spends: [string, string] }> = {
  cpu: { noun: 'CPU', spends: ['spends', 'CPU'] },
  heap: { noun: 'heap', spends: ['holds', 'memory'] },
  allocs: { noun: 'allocations', spends: ['allocates', 'memory'] },
  mutex: { noun: 'mutex', spends: ['causes', 'lock waiting'] },
  block: { noun: 'block', spends: ['spends', 'time blocked'] },
  'trace-cpu': { noun: 'CPU samples of traces', spends: ['spends', 'CPU'] },
  'trace-delay': { noun: 'waits to run', spends: ['waits', 'to run'] },
  spans: { noun: 'distributed traces', spends: ['spends', 'time'] },
  'critical-path': { noun: 'critical paths', spends: ['spends', 'time on critical paths'] },
  growth: { noun: 'stack growths', spends: ['grows', 'stacks'] },
  goroutine: { noun: 'goroutines', spends: ['holds', 'goroutines'] },
  threadcreate: { noun: 'threads', spends: ['creates', 'threads'] },
};

export function kindLabel(kind: string): string {
  return KINDS[kind]?.noun ?? kind;
}

/** Who held the processors where it was no goroutine group. */
const HOLDERS: Record<string, string> = {
  gc: 'the GC',
  workers: 'GC workers',
  syscall: 'system calls',
  runtime: 'the runtime',
  'wake-up': 'late wake-ups',
};

/** A part of a finding: a category, a class of stack, a goroutine group, or what one of them did ("assist|main.caller"). */
export function partName(subject: string, kind: string): Part {
  if (!kind.startsWith('trace.')) return { text: subject.replaceAll('-', ' ') };
  const bar = subject.indexOf('|');
  const holder = HOLDERS[subject];
  if (holder !== undefined) return { text: holder };
  if (bar >= 0) return { text: `${shortName(subject.slice(bar + 1))}, ${subject.slice(0, bar)}` };
  return { text: shortName(subject), code: true };
}

/** "group|reason" as it is said. */
export const victimLabel = (subject: string): string => {
  const group = groupOf(subject);
  return group === subject
    ? shortName(subject)
    : `${shortName(group)}, ${subject.slice(group.length + 1)}`;
};

/** The path down to the payer itself, without the runtime's frames below it: that is where to look. */
export function pathTo({ path, function: name }: Payer): string[] {
  const at = path.lastIndexOf(name);
  if (at < 0) return path.length > 0 ? path : [name];
  return path.slice(0, at + 1);
}

/** How a finding's change is drawn. What is merely likely is drawn as noise is: open and grey. */
export function changeOfFinding(finding: Finding): Change {
  if (finding.certain === false) return 'noise';
  const more = finding.candidate > finding.base;
  if (finding.base === 0) return 'only-candidate';
  if (finding.candidate === 0) return 'only-base';
  return changeOf(more ? 1 : 2);
}

const groupOf = (subject: string): string => {
  const bar = subject.lastIndexOf('|');
  return bar < 0 ? subject : subject.slice(0, bar);
};

/** Kinds that were recorded as profiles; those cut out of traces and growth logs are told by their own parts. */
const isProfileKind = ({ kind }: KindResult): boolean =>
  !kind.startsWith('trace-') && !['growth', 'spans', 'critical-path'].includes(kind);

/** The kind whose whole the head may speak of: none while the first finding is of something else. */
function leadingKind({ kinds, findings }: ComparisonResult): KindResult | undefined {
  const first = findings[0];
  if (first && !first.kind.startsWith('profile.')) return undefined;
  return kinds.find(isProfileKind);
}

const namesOf = (finding: Finding): string[] =>
  [
    finding.kind === 'profile.function' ? finding.subject : '',
    // "group|reason", and who held the processors: both are called by goroutine groups.
    ...(finding.kind.startsWith('trace.')
      ? [finding.subject, ...finding.by.map(({ subject }) => subject)].map(groupOf)
      : []),
    ...finding.payers.flatMap((payer) => [payer.function, payer.entry ?? '']),
  ]
    .filter((name) => name !== '')
    .flatMap((name) => [name, shortName(name)]);

/** Cuts a sentence into words and identifiers, longest names first, so that names stand in code type. */
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

/** Without "(×1.09, 1.05 to 1.13)" and the last dot: the effect stands beside the sentence. */
const bare = (sentence: string): string =>
  sentence.replace(/\s*\(×[^)]*\)/u, '').replace(/\.$/u, '');

/** A finding's sentence for its row, where the payer has a column too. */
export function findingParts(finding: Finding): Part[] {
  return withNames(bare(finding.sentence).replace(/, paid by .*$/u, ''), namesOf(finding));
}

/** The words that carry the sign: "32 % more CPU per request", "takes more time". */
const AMOUNT =
  /\b[\d.,]+ % (?:more|less)\b[^;,.:]*|\b(?:takes|allocates|holds|waits|has|creates) (?:more|less|longer|fewer)(?: time| objects| memory| threads| goroutines)?/u;

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

/** Whether the whole changed beyond its interval: only then is it what the verdict leads with. */
function wholeChanged({ headline }: ComparisonResult): boolean {
  const { low, high, of } = headline?.overall ?? {};
  const same = of === 'difference' ? 0 : 1;
  return typeof low === 'number' && typeof high === 'number' && (low > same || high < same);
}

/** The verdict: how much the whole changed and what most of it is; else the result's own sentence. */
export function verdictParts(result: ComparisonResult): Part[] {
  const names = result.findings.flatMap(namesOf);
  const said = result.headline?.sentence ?? '';
  const kind = leadingKind(result);
  const whole =
    kind && wholeChanged(result) && result.verdict !== 'inconclusive' ? totalText(kind) : null;
  if (kind && whole) return toned([{ text: `Candidate ${whole}` }, ...mostOf(result, kind)]);
  if (said !== '') return toned(withNames(bare(said), names));
  const first = result.findings[0];
  switch (result.verdict) {
    case 'regressed':
    case 'improved': {
      const total = kind && totalText(kind);
      if (total) return toned([{ text: `Candidate ${total}` }, ...mostOf(result, kind)]);
      return first ? withNames(first.sentence, names) : [{ text: `Candidate ${result.verdict}` }];
    }
    case 'unchanged':
      return [{ text: `No change in ${kind ? kindLabel(kind.kind) : 'cost'}${smallest(result)}` }];
    case 'inconclusive':
      return [{ text: 'Cannot tell yet' }, { text: moreNeeded(result) }];
  }
}

function totalText(kind: KindResult): string | null {
  const total = kind.totals[kind.default_basis];
  if (!total || kind.default_basis === 'share' || total.base <= 0) return null;
  const change = total.candidate / total.base - 1;
  const [verb, noun] = KINDS[kind.kind]?.spends ?? ['has', kind.kind];
  const percent = Math.abs(change * 100);
  const digits = percent >= 10 ? 0 : 1;
  return `${verb} ${percent.toFixed(digits)} % ${change >= 0 ? 'more' : 'less'} ${noun} ${perWords(unitOf(total.unit))}`.trimEnd();
}

/** "; most of it is stack growth paid by Clone" when one finding is most of the change. */
function mostOf(result: ComparisonResult, kind: KindResult): Part[] {
  const total = kind.totals[kind.default_basis];
  const part = result.findings.find(
    ({ subject, certain }) => subject !== 'total' && certain !== false,
  );
  if (!total || !part) return [];
  const share = part.change.difference / (total.candidate - total.base);
  if (!(share > 0.5)) return [];
  const lead: Part = { text: `; ${share > 0.9 ? 'nearly all' : 'most'} of it is ` };
  if (part.kind === 'profile.function')
    return [lead, { text: shortName(part.subject), code: true }];
  const payer = part.payers[0];
  const words: Part[] = [lead, { text: categoryLabel(part.subject) }];
  return payer
    ? [...words, { text: ' paid by ' }, { text: shortName(payer.function), code: true }]
    : words;
}

function smallest(result: ComparisonResult): string {
  const total = result.detectable.find(({ subject }) => subject === 'total');
  return total?.ratio ? ` beyond ${formatRatio(total.ratio)}` : '';
}

/** "service/op|previous|next" of spans in words, as findings say it: "the gap in api push before query". */
export function gapLabel(subject: string): string {
  const parts = subject.split('|');
  const [next, previous] = [parts.pop() ?? '', parts.pop() ?? ''];
  const owner = visibleName(parts.join('|').replace('/', ' '));
  if (previous === 'START' && next === 'END') return `the own time of ${owner}`;
  if (previous === 'START') return `the gap in ${owner} before ${visibleName(next)}`;
  if (next === 'END') return `the gap in ${owner} after ${visibleName(previous)}`;
  return `the gap in ${owner} between ${visibleName(previous)} and ${visibleName(next)}`;
}

function moreNeeded(result: ComparisonResult): string {
  const word = leadingKind(result) ? 'profile' : 'file';
  const needed = Math.max(0, ...result.findings.map((finding) => finding.more_profiles ?? 0));
  if (needed > 0) return `: ${countOf(needed, `more ${word}`)} a side would settle it`;
  const artifacts = Math.min(
    result.sides.base.artifacts.length,
    result.sides.candidate.artifacts.length,
  );
  return artifacts > 0 && artifacts < 4
    ? `: ${countOf(artifacts, word)} a side is too few to tell change from chance`
    : '';
}

/** One muted line: exact values, interval, conditions. */
export function exactText(result: ComparisonResult): string {
  const parts: string[] = [];
  const kind = leadingKind(result);
  const total = kind?.totals[kind.default_basis];
  if (kind && total && kind.default_basis !== 'share') {
    const per = perWords(unitOf(total.unit));
    parts.push(
      `${formatValue(total.base, total.unit)}${per && ` ${per}`} became ${formatValue(total.candidate, total.unit)}${intervalText(result, total)}`,
    );
  }
  const profiles = result.kinds.filter(isProfileKind);
  if (profiles.length > 0)
    parts.push(`${profiles.map((each) => kindLabel(each.kind)).join(', ')} profiles`);
  parts.push(...factsText(result));
  return parts.join(' · ');
}

function intervalText(
  result: ComparisonResult,
  total: { base: number; candidate: number },
): string {
  const found = result.findings.find(
    ({ kind, subject }) => kind === 'profile.category' && subject === 'total',
  );
  const ratio = total.base > 0 ? `, ${formatRatio(total.candidate / total.base)}` : '';
  const change = found?.change;
  if (change?.of !== 'ratio' || change.low === null || change.high === null) return ratio;
  return `${ratio}, ${Math.round(change.confidence * 100)} % interval ${formatRatioRange(change.low, change.high, 'sentence')}`;
}

function factsText(result: ComparisonResult): string[] {
  const { base, candidate } = result.sides;
  const same = (name: string): string | null => {
    const value = base.facts?.[name];
    return typeof value === 'string' && value === candidate.facts?.[name] ? value : null;
  };
  const platform = [same('goos'), same('goarch')].filter((word) => word !== null).join('/');
  return [platform, same('go_version') ?? ''].filter((text) => text !== '');
}

/** How a side is called: its label, its commit, or the names of its files. */
export function sideLabel(comparison: Comparison, side: 'base' | 'candidate'): string {
  const commit = comparison.result?.sides[side].facts?.commit;
  const { label } = comparison[side];
  // A side that is called "base" is already called so by its mark.
  if (label && label !== side) return label;
  return typeof commit === 'string' ? commit.slice(0, 7) : '';
}

export const VERDICT_WORDS = {
  regressed: 'regressed',
  improved: 'improved',
  unchanged: 'unchanged',
  inconclusive: 'cannot tell yet',
} as const;
