/** How a change is said. The sign is in the words first; colour and triangle only repeat it. Never "slower" of a function. */
import type { Change } from './change';
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

/** By pprof's sample type; kinds of profile are told apart by it well enough. */
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

/** What a change is called: "takes more time", "only in base", "inside the noise". @param sampleType pprof's, e.g. "cpu". */
export function changeWords(change: Change, sampleType: string): string {
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
      return 'inside the noise';
  }
}

/** "per request", "per second", or nothing for shares and absolute values. */
export function perWords(unit: UnitOf): string {
  if (unit.per === '') return '';
  return `per ${unit.per === 's' ? 'second' : unit.per}`;
}

/** What is known of one change: shown values in one unit, the interval of their ratio (NaN without), q, places. */
export type ChangeValues = {
  base: number;
  candidate: number;
  low: number;
  high: number;
  /** NaN when it was not tested. */
  q: number;
  /** On how many distinct stacks; 0 when that is not known. */
  stacks: number;
  /** Put together from several frames, whose sum nobody has judged. */
  joined: boolean;
};

/** `sure` says how sure that is, and in how many places: "q < .001 · on 12 stacks"; "" when nothing is known. */
export type ChangeTold = {
  words: string;
  delta: string;
  per: string;
  ratio: string;
  sure: string;
};

function intervalWords({ low, high, joined }: ChangeValues): string {
  if (joined) return ', interval not known for joined frames';
  return Number.isFinite(low) && Number.isFinite(high)
    ? `, 95 % interval ${formatRatioRange(low, high, 'sentence')}`
    : ', no interval of its own';
}

function sureWords({ q, stacks, joined }: ChangeValues): string {
  // Old views tell neither q nor stacks: of them nothing can be said.
  const untested = joined || stacks === 0 ? '' : 'too few samples for a test';
  const tested = Number.isFinite(q) ? `q ${formatProbability(q)}` : untested;
  const places =
    stacks === 0 ? '' : `on ${formatCount(stacks)} ${stacks === 1 ? 'stack' : 'stacks'}`;
  return [tested, places].filter((part) => part !== '').join(' · ');
}

/** The parts of the sentence about one change. @param values shown values, in `unit` */
export function tellChange(
  change: Change,
  values: ChangeValues,
  unit: UnitOf,
  sampleType: string,
): ChangeTold {
  const { base, candidate, joined } = values;
  const ratio = base > 0 && candidate > 0 ? candidate / base : null;
  return {
    words: joined ? 'not judged' : changeWords(change, sampleType),
    delta: formatDelta(candidate - base, unit),
    per: perWords(unit),
    ratio:
      ratio === null
        ? 'no ratio: one side has nothing'
        : formatRatio(ratio) + intervalWords(values),
    sure: sureWords(values),
  };
}
