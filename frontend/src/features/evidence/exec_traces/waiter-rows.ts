/** Rows of the table of groups and reasons: order, choice, and what the page opens with. Pure. */
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

/** A group on one side only is marked when its share of the wait time is substantial. */
const ONE_SIDED_FROM = 0.01;
const isOneSided = ({ state }: Waiter): boolean =>
  state === 'only-base' || state === 'only-candidate';
export const isSubstantial = (waiter: Waiter): boolean =>
  !isOneSided(waiter) || shareOf(waiter) >= ONE_SIDED_FROM;

/** How one quantile of a group is drawn: marked only when the group was judged to have changed and this quantile shows it. */
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
  // What is inside the noise comes after all that is not, however large its ratio happens to be.
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

/** In the order asked for; equal ones stay as they came. */
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

/** The waiter meant by an address, or by the first finding; else one that changed, else the one that waits most. */
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

/** Longest first, candidate's before base's where they are equal. */
function worstFirst(worst: readonly LongestWait[]): LongestWait[] {
  return worst.toSorted(
    (a, b) =>
      b.duration_ns - a.duration_ns ||
      Number(b.side === 'candidate') - Number(a.side === 'candidate'),
  );
}

/** What the choice of a wait looks at. */
type Waits = Pick<TraceDocument, 'worst' | 'groups'>;

/** On which side a waiter's waits tell more: where they are the longer ones, else in the candidate. */
function describedSide(groups: readonly Waiter[], waiter: string): LongestWait['side'] {
  const state = groups.find((row) => row.waiter === waiter)?.state;
  return state === 'less' || state === 'only-base' ? 'base' : 'candidate';
}

/** The wait meant by an address; else the waiter's longest, of the side that waits longer first; else the longest of all. */
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

/** A second around a wait, or the wait itself with some room when it is longer: what is cut out for download. */
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

/** Whether pieces can be cut out of a trace: since Go 1.22 it is made of parts that stand alone. */
export function isCuttable(headerVersion: string | null): boolean {
  const [major, minor] = (headerVersion ?? '').split('.').map(Number);
  return major !== 1 || minor === undefined || minor >= 22;
}

/** Longest first; those of the selected group come first. */
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

/** The quantiles of a group's own row, for groups whose whole curve was not sent. */
export function pointsOf({ base, candidate }: Waiter): QuantilePoint[] {
  return KNOWN.map(([q, field]) => ({
    q,
    base_ns: base?.[field] ?? null,
    candidate_ns: candidate?.[field] ?? null,
    low_ns: null,
    high_ns: null,
  })).filter(({ base_ns, candidate_ns }) => base_ns !== null || candidate_ns !== null);
}

/** The trace whose levels are drawn for a side: the one that was picked, else that of the chosen wait, else the first. */
export function seriesDrawn(
  own: readonly SeriesOfTrace[],
  picked: string,
  ofWait: string,
): SeriesOfTrace | undefined {
  const called = (wanted: string) => own.find(({ artifact }) => artifact === wanted);
  return called(picked) ?? called(ofWait) ?? own[0];
}

/**
 * The view after another selection. Another wait is shown in its trace: what was picked for its
 * side before would hide its mark.
 */
export function changedView(view: TraceView, changed: Partial<TraceView>, waits: Waits): TraceView {
  const next = { ...view, ...changed };
  const another = next.wait !== view.wait || next.waiter !== view.waiter;
  if (!another || changed.drawn) return next;
  const wait = selectedWait(waits, next.wait, next.waiter);
  return wait ? { ...next, drawn: { ...next.drawn, [wait.side]: '' } } : next;
}
