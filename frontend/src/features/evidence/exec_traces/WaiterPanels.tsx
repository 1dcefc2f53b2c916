/** The selected waiter: its scheduler latency by quantile, and the P occupancy during its waits. */
import { SegmentedControl } from '@mantine/core';
import { Suspense, lazy, useMemo, type Ref } from 'react';
import { formatShare, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import {
  OccupantPatterns,
  occupancyPhrase,
  type OccupancyPhrase,
} from '../../../engine/timeline/p-occupancy';
import { shortName } from '../../../engine/format/short-function-name';
import { EmptyState, SkeletonRows } from '../../../ui';
import { GoroutineProfiles, type GoroutineWays } from './GoroutineProfiles';
import classes from './traces.module.css';
import type { Occupancy, OccupancyPart, TraceDocument, Waiter } from './trace-types';
import { QUANTILES, type QuantileId, type TraceView } from './trace-url';
import { QUANTILE_NAMES, QUANTILE_OF, changeAt, pointsOf, quantileOf } from './waiter-rows';
import { VERDICTS, waiterName } from './trace-wording';

const ShiftPlot = lazy(async () => ({
  default: (await import('../../../charts/shift/QuantileShiftPlot')).QuantileShiftPlot,
}));
const OccupancyBars = lazy(async () => ({
  default: (await import('../../../charts/occupancy/OccupancyBars')).OccupancyBars,
}));
const SideKeys = lazy(async () => ({
  default: (await import('../../../charts/plot/SideLegend')).SideLegend,
}));

type PanelsProps = {
  ref: Ref<HTMLElement>;
  data: TraceDocument;
  waiter: Waiter;
  view: TraceView;
  onView: (changed: Partial<TraceView>) => void;
  /** Links that open the flame graph of a kind at a group, if the page has one. */
  flames: { kind: string; words: string; open: (group: string) => void }[];
  goroutines?: GoroutineWays;
};

export function WaiterPanels(props: PanelsProps) {
  const { ref, data, waiter, view, onView, flames, goroutines } = props;
  const single = data.sides.candidate === null;
  const shift = data.shift.find((one) => one.waiter === waiter.waiter);
  const points = shift?.points.toSorted((a, b) => a.q - b.q) ?? pointsOf(waiter);
  const occupancy = data.occupancy.find((one) => one.waiter === waiter.waiter);
  const change = changeAt(waiter, view.quantile);
  const tone =
    change === 'more' || change === 'only-candidate'
      ? 'more'
      : change === 'noise'
        ? 'noise'
        : 'less';
  return (
    <section
      ref={ref}
      tabIndex={-1}
      className={classes.pair}
      aria-label={`Selected group: ${waiterName(waiter)}`}
    >
      <div>
        <h2 className={classes.head}>
          Scheduler latency by quantile
          <span className="muted mono" title={waiter.group}>
            {visibleName(waiterName(waiter))}
          </span>
          <span className="grow" />
          <Suspense fallback={null}>
            {!single && <SideKeys tone={tone} band={shift !== undefined} />}
          </Suspense>
        </h2>
        {points.length > 1 ? (
          <Suspense fallback={<SkeletonRows rows={8} height={28} label="Loading the plot" />}>
            <ShiftPlot
              points={points}
              marked={{
                q: QUANTILE_OF[view.quantile],
                ratio: waiter.change[view.quantile]?.ratio ?? null,
                low: waiter.change[view.quantile]?.low ?? null,
                high: waiter.change[view.quantile]?.high ?? null,
              }}
              tone={tone}
              single={single}
              label={describePanel(waiter, view.quantile, single)}
            />
          </Suspense>
        ) : (
          <EmptyState>
            Too few waits in this group for quantiles. Select another group below.
          </EmptyState>
        )}
        <div className={classes.links}>
          <SegmentedControl
            aria-label="Quantile"
            value={view.quantile}
            onChange={(quantile) => onView({ quantile: quantile })}
            data={QUANTILES.map((id) => ({ value: id, label: QUANTILE_NAMES[id] }))}
          />
          <Hidden waiter={waiter} single={single} />
        </div>
      </div>
      <div>
        <h2 className={classes.head}>
          P occupancy while waiting <span className="muted">P-time per wait</span>
        </h2>
        {occupancy ? (
          <OccupancyPanel occupancy={occupancy} waiter={waiter} single={single} />
        ) : (
          <EmptyState>
            No P occupancy for this group: its waits were combined with others.
          </EmptyState>
        )}
        {flames.length > 0 && (
          <p className={classes.links}>
            {flames.map(({ kind, words, open }) => (
              <button key={kind} type="button" className="link" onClick={() => open(waiter.group)}>
                {words}
              </button>
            ))}
          </p>
        )}
        {goroutines && <GoroutineProfiles data={data} group={waiter.group} ways={goroutines} />}
      </div>
    </section>
  );
}

/** Describes the plot in a sentence with the values of all quantiles. */
function describePanel(waiter: Waiter, quantile: QuantileId, single: boolean): string {
  const time = (ns: number | null) => (ns === null ? 'nothing' : formatValue(ns, 'ns'));
  const name = `${shortName(waiter.group)}, ${waiter.reason}`;
  const texts = QUANTILES.map((id) => {
    const base = time(quantileOf(waiter.base, id));
    return single
      ? `${QUANTILE_NAMES[id]} ${base}`
      : `${QUANTILE_NAMES[id]} ${base} in base, ${time(quantileOf(waiter.candidate, id))} in candidate`;
  });
  return `Scheduler latency of ${name} by quantile, ${QUANTILE_NAMES[quantile]} marked: ${texts.join('; ')}`;
}

/**
 * Shows the netpoll delay: how long a socket may have been ready before the runtime polled. It is
 * not part of the latencies.
 */
function Hidden({ waiter, single }: { waiter: Waiter; single: boolean }) {
  const shown = single ? waiter.base : (waiter.candidate ?? waiter.base);
  if (!shown?.hidden_p99_ns) return null;
  return (
    <span className="muted">
      Netpoll delay: the socket may have been ready up to {formatValue(shown.hidden_p99_ns, 'ns')}{' '}
      before the runtime polled (p99). Not included in these values.
    </span>
  );
}

const sharesOf = (occupancy: Occupancy) =>
  occupancy.parts.map((part) => ({
    kind: part.kind,
    group: part.group,
    base: part.base_ns_per_wait,
    candidate: part.candidate_ns_per_wait,
    low: part.low,
    high: part.high,
    isNew: part.new,
  }));

export function paintsOf(occupancy: Occupancy | undefined): OccupantPatterns {
  return new OccupantPatterns(
    (occupancy?.parts ?? []).map((part) => ({
      kind: part.kind,
      group: part.group,
      isNew: part.new,
      weight: Math.max(part.base_share, part.candidate_share),
    })),
  );
}

type OccupantLabel = OccupancyPhrase & { share: number };

const ofGc = ({ kind }: OccupancyPart): boolean =>
  kind === 'stw' || kind === 'user-assist' || kind.startsWith('gc-');

/** Returns the largest occupant of a side; if the verdict is GC, all parts of the GC together. */
export function largestOccupant(
  occupancy: Occupancy,
  side: 'base_share' | 'candidate_share',
  verdict: string | null,
): OccupantLabel | null {
  if (verdict === 'gc') {
    const share = occupancy.parts.filter(ofGc).reduce((sum, part) => sum + part[side], 0);
    return { lead: 'behind', name: 'the GC', share, code: false };
  }
  const first = occupancy.parts.toSorted((a, b) => b[side] - a[side])[0];
  if (!first) return null;
  const phrase = occupancyPhrase(first);
  return { ...phrase, name: visibleName(phrase.name), share: first[side] };
}

/**
 * Returns the meaning of the verdict if the share agrees with it: "one group occupied most" needs
 * at least half.
 */
function verdictPhrase({ share }: OccupantLabel, verdict: string | null): string {
  const known = verdict === null ? undefined : VERDICTS[verdict];
  if (!known) return '';
  const agrees = verdict === 'mixed' ? share < 0.5 : verdict === 'gc' || share >= 0.5;
  return agrees ? `: ${known.meaning}` : '';
}

function OccupancyPanel({
  occupancy,
  waiter,
  single,
}: {
  occupancy: Occupancy;
  waiter: Waiter;
  single: boolean;
}) {
  const shares = useMemo(() => sharesOf(occupancy), [occupancy]);
  const paints = useMemo(() => paintsOf(occupancy), [occupancy]);
  const side = single ? 'base_share' : 'candidate_share';
  const verdict = single ? waiter.verdict_base : waiter.verdict_candidate;
  const first = largestOccupant(occupancy, side, verdict);
  return (
    <>
      <p className={classes.note}>
        Parts add up to the P-time of all waits.
        {first && first.share > 0 && (
          <>
            {' '}
            {formatShare(first.share)} of {single ? 'the' : 'candidate’s'} waiting is {first.lead}{' '}
            <span className={first.code ? 'mono' : undefined}>{first.name}</span>
            {verdictPhrase(first, verdict)}.
          </>
        )}
      </p>
      <Suspense fallback={<SkeletonRows rows={6} height={28} label="Loading the bars" />}>
        <OccupancyBars
          parts={shares}
          paints={paints}
          single={single}
          label={`P occupancy while ${shortName(waiter.group)} waited; values are in the table below`}
        />
      </Suspense>
    </>
  );
}
