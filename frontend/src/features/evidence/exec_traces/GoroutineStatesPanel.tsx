/** Series over the time of the traces: a panel per side on one scale, with the longest waits. */
import { Select } from '@mantine/core';
import { Suspense, lazy, useMemo } from 'react';
import { formatValue } from '../../../engine/format/format';
import { EmptyState, SideMark, SkeletonRows } from '../../../ui';
import { LEVEL_LABELS, largestOf, linesOf, type Line } from './trace-series';
import classes from './traces.module.css';
import type { SeriesOfTrace, SideName, TraceDocument, LongestWait } from './trace-types';
import { LEVEL_SETS, type TraceView } from './trace-url';
import { seriesDrawn, waitKey } from './waiter-rows';

const SeriesChart = lazy(async () => ({
  default: (await import('../../../charts/series/SeriesChart')).SeriesChart,
}));
const SeriesKeys = lazy(async () => ({
  default: (await import('../../../charts/series/SeriesChart')).SeriesLegend,
}));

type StatesProps = {
  data: TraceDocument;
  /** The wait on the timeline; by default, its trace is shown. */
  wait: LongestWait | null;
  view: TraceView;
  onView: (changed: Partial<TraceView>) => void;
};

export function GoroutineStatesPanel({ data, wait, view, onView }: StatesProps) {
  const single = data.sides.candidate === null;
  const sides: SideName[] = single ? ['base'] : ['base', 'candidate'];
  const shown = sides.flatMap((side) => {
    const own = data.series.filter((one) => one.side === side);
    const series = seriesDrawn(own, view.drawn[side], wait?.side === side ? wait.artifact : '');
    return series ? [{ side, series, own, lines: linesOf(series, view.levels) }] : [];
  });
  const most = Math.max(0, ...shown.map(({ lines }) => largestOf(lines)));
  const durationNs = Math.max(1, ...shown.map(({ series }) => series.duration_ns));
  const names = [...new Set(shown.flatMap(({ lines }) => lines.map(({ name }) => name)))];
  return (
    <section className={classes.section} aria-label="States over time">
      <h2 className={classes.head}>
        {LEVEL_LABELS[view.levels].title}{' '}
        <span className="muted">
          {LEVEL_LABELS[view.levels].aside}; marks are the longest waits
        </span>
        <span className="grow" />
        <Suspense fallback={null}>
          <SeriesKeys names={names} />
        </Suspense>
        <Select
          aria-label="Series over time"
          data={LEVEL_SETS.map((id) => ({ value: id, label: LEVEL_LABELS[id].title }))}
          value={view.levels}
          allowDeselect={false}
          onChange={(levels) => {
            if (levels) onView({ levels: levels });
          }}
          w={220}
        />
      </h2>
      {shown.length === 0 && <EmptyState>No state series in these traces.</EmptyState>}
      {shown.map(({ side, series, own, lines }) => (
        <Panel
          key={side}
          side={side}
          single={single}
          series={series}
          own={own}
          lines={lines}
          most={most}
          durationNs={durationNs}
          data={data}
          wait={wait}
          onPick={(artifact) => onView({ drawn: { ...view.drawn, [side]: artifact } })}
          onWait={(key) => onView({ wait: key, window: { from: 0, to: 1 } })}
        />
      ))}
    </section>
  );
}

type PanelProps = {
  side: SideName;
  single: boolean;
  series: SeriesOfTrace;
  own: SeriesOfTrace[];
  lines: Line[];
  most: number;
  durationNs: number;
  data: TraceDocument;
  wait: LongestWait | null;
  onPick: (artifact: string) => void;
  onWait: (key: string) => void;
};

/** The most marks that are distinguishable. */
const MARKS_MOST = 12;

function Panel(props: PanelProps) {
  const { side, single, series, own, lines, most, durationNs, data, wait, onPick, onWait } = props;
  const trace = (data.sides[side]?.traces ?? []).find(
    ({ artifact }) => artifact === series.artifact,
  );
  const marks = useMemo(
    () =>
      data.worst
        .filter((one) => one.artifact === series.artifact)
        .toSorted((a, b) => b.duration_ns - a.duration_ns)
        .filter((one, at) => at < MARKS_MOST || one === wait)
        .map((one) => ({
          id: waitKey(one),
          atNs: one.start_ns,
          chosen: wait !== null && waitKey(one) === waitKey(wait),
        })),
    [data.worst, series.artifact, wait],
  );
  const label = `${lines.map(({ name }) => name).join(', ')} over the time of ${series.name}`;
  return (
    <div className={classes.panel}>
      <div className={classes.panelHead}>
        {!single && <SideMark side={side} label />}
        {own.length > 1 ? (
          <Select
            aria-label={`Trace of ${side}`}
            data={own.map(({ artifact, name }) => ({ value: artifact, label: name }))}
            value={series.artifact}
            allowDeselect={false}
            onChange={(artifact) => {
              if (artifact) onPick(artifact);
            }}
            w={260}
          />
        ) : (
          <span className="mono t2">{series.name}</span>
        )}
        <span className="muted">{summary(lines)}</span>
      </div>
      {lines.length === 0 ? (
        <EmptyState>Not recorded in this trace.</EmptyState>
      ) : (
        <Suspense fallback={<SkeletonRows rows={4} height={32} label="Loading the chart" />}>
          <SeriesChart
            lines={lines}
            binNs={series.bin_ns}
            durationNs={durationNs}
            most={most}
            marks={marks}
            onMark={onWait}
            lostAfterNs={trace?.lost?.after_ns ?? null}
            label={`${label}: ${summary(lines)}`}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Describes the chart in numbers: the mean and the maximum of each line. */
function summary(lines: Line[]): string {
  return lines
    .map(({ name, unit, mean, max }) => {
      const known = mean.filter((value): value is number => value !== null);
      if (known.length === 0) return `${name}: none`;
      const average = known.reduce((sum, value) => sum + value, 0) / known.length;
      const most = (max ?? mean).reduce<number>((top, value) => Math.max(top, value ?? 0), 0);
      return `${name} ${formatValue(average, unit)}, at most ${formatValue(most, unit)}`;
    })
    .join(' · ');
}
