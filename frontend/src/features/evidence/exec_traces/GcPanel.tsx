/**
 * The costs of the garbage collector: pauses, CPU, assists and heap; and the minimum mutator
 * utilization by window.
 */
import { Suspense, lazy, type Ref } from 'react';
import { formatCount, formatShare, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { shortName } from '../../../engine/format/short-function-name';
import { EmptyState, SideMark, SkeletonRows } from '../../../ui';
import classes from './traces.module.css';
import type { GcSide, Mmu, SideName, TraceDocument } from './trace-types';

const MmuPlot = lazy(async () => ({
  default: (await import('../../../charts/mmu/MmuPlot')).MmuPlot,
}));
const SideKeys = lazy(async () => ({
  default: (await import('../../../charts/plot/SideLegend')).SideLegend,
}));

export function GcPanel({ data, ref }: { data: TraceDocument; ref: Ref<HTMLElement> }) {
  const { gc } = data;
  const { mmu } = data;
  const idle = sidesWithout(mmu, gc);
  const single = data.sides.candidate === null;
  return (
    <section ref={ref} tabIndex={-1} className={classes.pair} aria-label="Garbage collection">
      <div>
        <h2 className={classes.head}>
          Minimum mutator utilization <span className="muted">worst window of each length</span>
          <span className="grow" />
          {!single && (
            <Suspense fallback={null}>
              <SideKeys tone="noise" band={mmu.base_low !== null} />
            </Suspense>
          )}
        </h2>
        {mmu.window_ns.length > 1 && (mmu.base ?? mmu.candidate) ? (
          <>
            <Suspense fallback={<SkeletonRows rows={7} height={28} label="Loading the plot" />}>
              <MmuPlot
                windowNs={mmu.window_ns}
                base={mmu.base}
                candidate={mmu.candidate}
                baseLow={mmu.base_low}
                baseHigh={mmu.base_high}
                candidateLow={mmu.candidate_low}
                candidateHigh={mmu.candidate_high}
                single={single}
                label="Minimum mutator utilization by window length; values are in the table below"
              />
            </Suspense>
            {idle.length > 0 && (
              <p className={classes.note}>
                No GC cycle ran in {single ? 'this trace' : idle.join(' or ')}: its losses are
                assists and sweeping of earlier cycles.
              </p>
            )}
            <MmuTable mmu={mmu} single={single} />
          </>
        ) : (
          <EmptyState>No GC ran during these traces.</EmptyState>
        )}
      </div>
      <div>
        <h2 className={classes.head}>
          Garbage collection <span className="muted">rates per second of trace</span>
        </h2>
        {(gc.base ?? gc.candidate) ? (
          <GcTable base={gc.base} candidate={gc.candidate} single={single} />
        ) : (
          <EmptyState>No GC data in these traces.</EmptyState>
        )}
      </div>
    </section>
  );
}

/** Returns sides with a curve but no GC cycle: assists and sweeping may be of earlier cycles. */
function sidesWithout(mmu: Mmu, gc: TraceDocument['gc']): SideName[] {
  return (['base', 'candidate'] as const).filter(
    (side) => mmu[side] !== null && gc[side]?.cycles_per_second === 0,
  );
}

function MmuTable({ mmu, single }: { mmu: Mmu; single: boolean }) {
  const share = (row: Mmu['base'], at: number) => {
    const value = row?.[at];
    return typeof value === 'number' ? formatShare(value) : '–';
  };
  return (
    <details className={classes.details}>
      <summary>As a table: {mmu.window_ns.length} windows</summary>
      <table className={classes.small} aria-label="Minimum mutator utilization">
        <thead>
          <tr>
            <th scope="col">Window</th>
            <th scope="col">{single ? 'This trace' : 'Base'}</th>
            {!single && <th scope="col">Candidate</th>}
          </tr>
        </thead>
        <tbody>
          {mmu.window_ns.map((ns, at) => (
            <tr key={ns}>
              <th scope="row">{formatValue(ns, 'ns')}</th>
              <td>{share(mmu.base, at)}</td>
              {!single && <td>{share(mmu.candidate, at)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

type GcRow = [name: string, base: number | null, candidate: number | null, unit: string];

function rowsOf(base: GcSide | null, candidate: GcSide | null): GcRow[] {
  const row = (name: string, unit: string, read: (side: GcSide) => number | null): GcRow => [
    name,
    base && read(base),
    candidate && read(candidate),
    unit,
  ];
  return [
    row('cycles', 'count', (side) => side.cycles_per_second),
    row('CPU spent on GC', 'share', (side) => side.cpu_fraction),
    row('time in GC mark', 'share', (side) => side.mark_wall_share),
    row('assists', 'ns', (side) => side.assist_ns_per_second),
    row('allocated', 'bytes', (side) => side.allocated_bytes_per_second),
    row('largest live heap', 'bytes', (side) => side.heap_live_max),
    row('largest heap goal', 'bytes', (side) => side.heap_goal_max),
  ];
}

/** A table with a row for every value of either side; assists by group, and pauses by reason. */
function GcTable(props: { base: GcSide | null; candidate: GcSide | null; single: boolean }) {
  const { base, candidate, single } = props;
  const value = (amount: number | null, unit: string) =>
    amount === null || amount === 0 ? <span className="muted">–</span> : formatValue(amount, unit);
  const groups = [
    ...new Set(
      [...(base?.assist_by_group ?? []), ...(candidate?.assist_by_group ?? [])].map(
        ({ group }) => group,
      ),
    ),
  ].slice(0, 6);
  const assist = (side: GcSide | null, group: string) =>
    side?.assist_by_group.find((one) => one.group === group)?.ns_per_second ?? null;
  return (
    <div className={classes.scroll}>
      <table className={classes.small} aria-label="GC cost">
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">quantity</span>
            </th>
            <th scope="col">{single ? 'This trace' : 'Base'}</th>
            {!single && <th scope="col">Candidate</th>}
          </tr>
        </thead>
        <tbody>
          {rowsOf(base, candidate).map(([name, left, right, unit]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value(left, unit)}</td>
              {!single && <td>{value(right, unit)}</td>}
            </tr>
          ))}
          {groups.map((group) => (
            <tr key={group}>
              <th scope="row" title={group}>
                <span className="muted">assists of</span>{' '}
                <span className="mono">{visibleName(shortName(group))}</span>
              </th>
              <td>{value(assist(base, group), 'ns')}</td>
              {!single && <td>{value(assist(candidate, group), 'ns')}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <Pauses base={base} candidate={candidate} single={single} />
    </div>
  );
}

function Pauses(props: { base: GcSide | null; candidate: GcSide | null; single: boolean }) {
  const { base, candidate, single } = props;
  const sides = [
    ['base', base],
    ['candidate', candidate],
  ] as const;
  const reasons = [
    ...new Set([...(base?.stw ?? []), ...(candidate?.stw ?? [])].map(({ reason }) => reason)),
  ];
  if (reasons.length === 0) return <p className="muted">No stop-the-world pauses recorded.</p>;
  const time = (ns: number | null | undefined) => (ns == null ? '–' : formatValue(ns, 'ns'));
  return (
    <table className={classes.small} aria-label="Stop-the-world pauses">
      <thead>
        <tr>
          <th scope="col">Pauses by reason</th>
          {!single && <th scope="col">Side</th>}
          <th scope="col">Count</th>
          <th scope="col">p50</th>
          <th scope="col">p99</th>
          <th scope="col">Longest</th>
        </tr>
      </thead>
      <tbody>
        {reasons.flatMap((reason) =>
          sides.flatMap(([name, side]) => {
            const pause = side?.stw.find((one) => one.reason === reason);
            if (!pause) return [];
            return (
              <tr key={`${reason} ${name}`}>
                <th scope="row" title={reason}>
                  {reason}
                </th>
                {!single && (
                  <td>
                    <span style={{ display: 'inline-flex' }}>
                      <SideMark side={name} />
                      <span className="unseen">{name}</span>
                    </span>
                  </td>
                )}
                <td>{formatCount(pause.count)}</td>
                <td>{time(pause.p50_ns)}</td>
                <td>{time(pause.p99_ns)}</td>
                <td>{time(pause.max_ns)}</td>
              </tr>
            );
          }),
        )}
      </tbody>
    </table>
  );
}
