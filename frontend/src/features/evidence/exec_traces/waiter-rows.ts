/** Rows of the table of groups and wake reasons: order, and default selection. */
import type { Change } from '../../../engine/format/change-class';
import type { QuantilePoint } from '../../../engine/timeline/quantile-plot';
import type { Sort } from '../../../ui';
import type {
  SchedulerLatency,
  SeriesOfTrace,
  TraceDocument,
  Waiter,
  LongestWait,
} from './trace-types';
import type { QuantileId, TraceView } from './trace-url';

const FIELDS = { p50: 'p50_ns', p90: 'p90_ns', p99: 'p99_ns', p999: 'p999_ns' } as const;
export const QUANTILE_OF: Record<QuantileId, number> = {
  p50: 0.5,
  p90: 0.9,
  p99: 0.99,
  p999: 0.999,
};
export const QUANTILE_NAMES: Record<QuantileId, string> = {
  p50: 'p50',
  p90: 'p90',
  p99: 'p99',
  p999: 'p99.9',
};

export function quantileOf(delays: SchedulerLatency | null, quantile: QuantileId): number | null {
  return delays?.[FIELDS[quantile]] ?? null;
}

/** A group on one side only is marked if its share of the wait time is at least this. */
const ONE_SIDED_FROM = 0.01;
const isOneSided = ({ state }: Waiter): boolean =>
  state === 'only-base' || state === 'only-candidate';
export const isSubstantial = (waiter: Waiter): boolean =>
  !isOneSided(waiter) || shareOf(waiter) >= ONE_SIDED_FROM;

/**
 * Returns the change of one quantile of a group: "noise" unless the group changed significantly and
 * this quantile shows it.
 */
export function changeAt(waiter: Waiter, quantile: QuantileId): Change {
  if (!isSubstantial(waiter)) return 'noise';
  if (waiter.state === 'only-base' || waiter.state === 'only-candidate') return waiter.state;
  if (waiter.state === 'noise') return 'noise';
  const change = waiter.change[quantile];
  if (!change) return 'noise';
  if (change.low > 1) return 'more';
  return change.high < 1 ? 'less' : 'noise';
}

export const shareOf = (waiter: Waiter): number =>
  Math.max(waiter.share_of_wait_candidate, waiter.share_of_wait_base);

const waitsOf = ({ base, candidate }: Waiter): number =>
  candidate?.waits_per_second ?? base?.waits_per_second ?? 0;

function ratioAt(waiter: Waiter, quantile: QuantileId): number {
  if (waiter.state === 'only-candidate') return Infinity;
  if (waiter.state === 'only-base') return 0;
  const ratio = waiter.change[quantile]?.ratio;
  // Changes within the noise are ordered after all others, however large their ratio is.
  return changeAt(waiter, quantile) === 'noise' ? (ratio ?? 1) * 1e-9 : (ratio ?? 1);
}

function valueFor(waiter: Waiter, column: string, quantile: QuantileId): number {
  switch (column) {
    case 'waits':
      return waitsOf(waiter);
    case 'p50':
    case 'p90':
    case 'p99':
    case 'p999':
      return quantileOf(waiter.candidate, column) ?? quantileOf(waiter.base, column) ?? -1;
    case 'change':
      return ratioAt(waiter, quantile);
    default:
      return shareOf(waiter);
  }
}

const textFor = (waiter: Waiter, column: string): string =>
  column === 'group'
    ? waiter.group
    : column === 'reason'
      ? waiter.reason
      : (waiter.verdict_candidate ?? waiter.verdict_base ?? '');

/** Returns the waiters in the requested order; equal ones keep their order. */
export function sortedWaiters(
  waiters: readonly Waiter[],
  sort: Sort,
  quantile: QuantileId,
): Waiter[] {
  const sign = sort.descending ? -1 : 1;
  if (['group', 'reason', 'verdict'].includes(sort.column)) {
    return waiters.toSorted((a, b) => {
      const [one, other] = [textFor(a, sort.column), textFor(b, sort.column)];
      return sign * (one < other ? -1 : one > other ? 1 : 0);
    });
  }
  return waiters.toSorted((a, b) => {
    const [one, other] = [valueFor(a, sort.column, quantile), valueFor(b, sort.column, quantile)];
    return one === other ? 0 : sign * (one < other ? -1 : 1);
  });
}

/**
 * Returns the waiter of the URL or of the first finding, else one that changed, else the one with
 * the largest share.
 */
export function selectedWaiter(
  { groups }: TraceDocument,
  wanted: string,
  first = '',
): Waiter | null {
  const meant = [wanted, first].filter((name) => name !== '');
  for (const name of meant) {
    const found = groups.find(({ waiter }) => waiter === name);
    if (found) return found;
  }
  const byShare = groups.toSorted((a, b) => shareOf(b) - shareOf(a));
  return (
    byShare.find(({ state }) => state === 'more') ??
    byShare.find((waiter) => waiter.state !== 'noise' && isSubstantial(waiter)) ??
    byShare[0] ??
    null
  );
}

export const waitKey = ({ artifact, index }: Pick<LongestWait, 'artifact' | 'index'>): string =>
  `${artifact}.${index}`;

/** Orders waits longest first; of equal ones, the candidate's first. */
function worstFirst(worst: readonly LongestWait[]): LongestWait[] {
  return worst.toSorted(
    (a, b) =>
      b.duration_ns - a.duration_ns ||
      Number(b.side === 'candidate') - Number(a.side === 'candidate'),
  );
}

/** The data from which a wait is selected. */
type Waits = Pick<TraceDocument, 'worst' | 'groups'>;

/** Returns the side on which a waiter waits longer; the candidate if neither. */
function describedSide(groups: readonly Waiter[], waiter: string): LongestWait['side'] {
  const state = groups.find((row) => row.waiter === waiter)?.state;
  return state === 'less' || state === 'only-base' ? 'base' : 'candidate';
}

/**
 * Returns the wait of the URL, else the waiter's longest on the side where it waits longer, else
 * its longest, else the longest of all.
 */
export function selectedWait(
  { worst, groups }: Waits,
  wanted: string,
  waiter: string,
): LongestWait | null {
  const found = worst.find((wait) => waitKey(wait) === wanted);
  if (found) return found;
  const ordered = worstFirst(worst);
  const own = ordered.filter((wait) => wait.waiter === waiter);
  const telling = describedSide(groups, waiter);
  return own.find(({ side }) => side === telling) ?? own[0] ?? ordered[0] ?? null;
}

/** Returns the range of an excerpt: a second around a wait, or 1.2 times its duration if longer. */
export function secondAround(
  wait: LongestWait,
  durationNs: number,
): { from_ns: number; to_ns: number } {
  const room = Math.max(1e9, wait.duration_ns * 1.2);
  const middle = wait.start_ns + wait.duration_ns / 2;
  const from = Math.max(0, Math.round(middle - room / 2));
  return {
    from_ns: from,
    to_ns: Math.round(Math.min(Math.max(durationNs, from + 1), from + room)),
  };
}

/** Returns whether excerpts can be cut out of a trace: its parts are separate since Go 1.22. */
export function isCuttable(headerVersion: string | null): boolean {
  const [major, minor] = (headerVersion ?? '').split('.').map(Number);
  return major !== 1 || minor === undefined || minor >= 22;
}

/** Orders waits longest first, with those of the selected waiter before all others. */
export function waitsListed(worst: readonly LongestWait[], waiter: string): LongestWait[] {
  const ordered = worstFirst(worst);
  return [
    ...ordered.filter((wait) => wait.waiter === waiter),
    ...ordered.filter((wait) => wait.waiter !== waiter),
  ];
}

const KNOWN = [
  [0.5, 'p50_ns'],
  [0.9, 'p90_ns'],
  [0.99, 'p99_ns'],
  [0.999, 'p999_ns'],
  [0.9999, 'p9999_ns'],
] as const;

/** Returns the quantiles of a group's own row, for groups without a curve in the document. */
export function pointsOf({ base, candidate }: Waiter): QuantilePoint[] {
  return KNOWN.map(([q, field]) => ({
    q,
    base_ns: base?.[field] ?? null,
    candidate_ns: candidate?.[field] ?? null,
    low_ns: null,
    high_ns: null,
  })).filter(({ base_ns, candidate_ns }) => base_ns !== null || candidate_ns !== null);
}

/** Returns the trace whose series are drawn: the picked one, else the wait's, else the first. */
export function seriesDrawn(
  own: readonly SeriesOfTrace[],
  picked: string,
  ofWait: string,
): SeriesOfTrace | undefined {
  const called = (wanted: string) => own.find(({ artifact }) => artifact === wanted);
  return called(picked) ?? called(ofWait) ?? own[0];
}

/**
 * Returns the changed view. Another wait shows the series of its trace: a trace that was picked
 * before could not show its mark.
 */
export function changedView(view: TraceView, changed: Partial<TraceView>, waits: Waits): TraceView {
  const next = { ...view, ...changed };
  const another = next.wait !== view.wait || next.waiter !== view.waiter;
  if (!another || changed.drawn) return next;
  const wait = selectedWait(waits, next.wait, next.waiter);
  return wait ? { ...next, drawn: { ...next.drawn, [wait.side]: '' } } : next;
}
