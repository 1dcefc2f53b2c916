/**
 * Words for a change. They state its direction; color and triangle only repeat it. A function is
 * never called "slower".
 */
import type { Change } from './change-class';
import type { UnitOf } from './format';
import {
  formatCount,
  formatDelta,
  formatProbability,
  formatRatio,
  formatRatioRange,
} from './format';

type Verbs = { more: string; less: string };

const TIME_VERBS: Verbs = { more: 'takes more time', less: 'takes less time' };

/** Verbs by pprof's sample type, which distinguishes the kinds of profiles well enough. */
const VERBS: Record<string, Verbs> = {
  alloc_space: { more: 'allocates more', less: 'allocates less' },
  alloc_objects: { more: 'allocates more objects', less: 'allocates fewer objects' },
  inuse_space: { more: 'holds more memory', less: 'holds less memory' },
  inuse_objects: { more: 'holds more objects', less: 'holds fewer objects' },
  contentions: { more: 'contends more often', less: 'contends less often' },
  delay: { more: 'waits longer', less: 'waits less' },
  goroutine: { more: 'has more goroutines', less: 'has fewer goroutines' },
  goroutines: { more: 'has more goroutines', less: 'has fewer goroutines' },
  threadcreate: { more: 'creates more threads', less: 'creates fewer threads' },
  samples: { more: 'has more samples', less: 'has fewer samples' },
};

/**
 * Returns words for a change: "takes more time", "only in base", "not significant".
 * @param sampleType pprof's, e.g. "cpu"
 */
export function changeLabel(change: Change, sampleType: string): string {
  const verbs = Object.hasOwn(VERBS, sampleType) ? (VERBS[sampleType] ?? TIME_VERBS) : TIME_VERBS;
  switch (change) {
    case 'more':
      return verbs.more;
    case 'less':
      return verbs.less;
    case 'only-candidate':
      return 'only in candidate';
    case 'only-base':
      return 'only in base';
    case 'noise':
      return 'not significant';
  }
}

/** Returns "per request", "per second", or "" for shares and absolute values. */
export function normalizationPhrase(unit: UnitOf): string {
  if (unit.per === '') return '';
  return `per ${unit.per === 's' ? 'second' : unit.per}`;
}

/** Values of one change: both sides in one unit, and the interval of their ratio (NaN if none). */
type ChangeValues = {
  base: number;
  candidate: number;
  low: number;
  high: number;
  /** NaN if the change was not tested. */
  q: number;
  /** The number of distinct stacks; 0 if unknown. */
  stacks: number;
  /** Merged from several frames, whose sum was not tested. */
  joined: boolean;
};

/** `sure` is the evidence, "q < .001 · on 12 stacks", or "" if there is none. */
export type ChangeText = {
  words: string;
  delta: string;
  per: string;
  ratio: string;
  sure: string;
};

function describeIntervalText({ low, high, joined }: ChangeValues): string {
  if (joined) return ', no interval for merged frames';
  return Number.isFinite(low) && Number.isFinite(high)
    ? `, 95% interval ${formatRatioRange(low, high, 'sentence')}`
    : ', no interval';
}

function describeCertainty({ q, stacks, joined }: ChangeValues): string {
  // Old views have neither q nor stacks, because nothing was tested.
  const untested = joined || stacks === 0 ? '' : 'too few samples for a test';
  const tested = Number.isFinite(q) ? `q ${formatProbability(q)}` : untested;
  const places =
    stacks === 0 ? '' : `on ${formatCount(stacks)} ${stacks === 1 ? 'stack' : 'stacks'}`;
  return [tested, places].filter((part) => part !== '').join(' · ');
}

/**
 * Returns the parts of the sentence about one change.
 * @param values shown values, in `unit`
 */
export function describeChange(
  change: Change,
  values: ChangeValues,
  unit: UnitOf,
  sampleType: string,
): ChangeText {
  const { base, candidate, joined } = values;
  const ratio = base > 0 && candidate > 0 ? candidate / base : null;
  return {
    words: joined ? 'not evaluated' : changeLabel(change, sampleType),
    delta: formatDelta(candidate - base, unit),
    per: normalizationPhrase(unit),
    ratio:
      ratio === null
        ? 'no ratio: one side is zero'
        : formatRatio(ratio) + describeIntervalText(values),
    sure: describeCertainty(values),
  };
}
