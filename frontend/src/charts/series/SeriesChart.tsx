/**
 * Levels and counts over the time of one trace: lines with a band between the minimum and the
 * maximum of each bin, and marks at the longest waits. Charts of two sides share `most` and
 * `durationNs`, so that heights and positions are comparable.
 */
import { useCallback, useMemo, useRef, type ReactElement } from 'react';
import { formatValue } from '../../engine/format/format';
import { useEChart, type ChartOption } from '../plot/echarts';
import type { TokenName, Tokens } from '../plot/color-tokens';
import plot from '../plot/plot.module.css';
import css from './series.module.css';

type SeriesLine = {
  name: string;
  unit: string;
  mean: readonly (number | null)[];
  min: readonly (number | null)[] | null;
  max: readonly (number | null)[] | null;
};
type SeriesChartProps = {
  lines: SeriesLine[];
  binNs: number;
  durationNs: number;
  most: number;
  marks: { id: string; atNs: number; chosen: boolean }[];
  onMark?: (id: string) => void;
  /** Nanoseconds after which the trace is unreadable, and hatched; null if it is whole. */
  lostAfterNs: number | null;
  label: string;
};

/** Lines differ by dash too, not by color alone. */
const LINE_STYLES: { colour: TokenName; dash: 'solid' | number[] }[] = [
  { colour: 'q3', dash: 'solid' },
  { colour: 'c5', dash: [6, 3] },
  { colour: 'c3', dash: [2, 2] },
  { colour: 'control', dash: [8, 3, 2, 3] },
  { colour: 'q2', dash: [1, 2] },
];
const MAX_LINES = LINE_STYLES.length;

export function SeriesChart(props: SeriesChartProps): ReactElement {
  const { lines, binNs, durationNs, most, marks, onMark, lostAfterNs, label } = props;
  const host = useRef<HTMLDivElement>(null);
  const drawn = useMemo(() => lines.slice(0, MAX_LINES), [lines]);
  const optionOf = useCallback(
    (tokens: Tokens): ChartOption => ({
      animation: false,
      textStyle: { fontFamily: tokens['font-ui'], fontSize: 11, color: tokens.muted },
      grid: { left: 52, right: 8, top: 14, bottom: 22 },
      tooltip: {
        trigger: 'axis',
        // Names of a trace never become HTML: the tooltip is drawn on the canvas.
        renderMode: 'richText',
        confine: true,
        backgroundColor: tokens.surface,
        borderColor: tokens.axis,
        textStyle: { color: tokens.text, fontSize: 11.5, fontFamily: tokens['font-ui'] },
        axisPointer: { lineStyle: { color: tokens.accent } },
        formatter: (params: unknown) => tip(params, drawn, binNs),
      },
      xAxis: {
        type: 'value',
        min: 0,
        max: durationNs / 1e9,
        axisLine: { lineStyle: { color: tokens.axis } },
        axisTick: { show: false },
        splitLine: { show: false },
        axisLabel: {
          color: tokens.muted,
          fontSize: 11,
          formatter: (seconds: number) => (seconds === 0 ? '0' : `${seconds} s`),
        },
      },
      yAxis: {
        type: 'value',
        min: 0,
        max: most > 0 ? most : 1,
        splitNumber: 3,
        axisLine: { show: false },
        axisTick: { show: false },
        splitLine: { lineStyle: { color: tokens.grid } },
        axisLabel: {
          color: tokens.muted,
          fontSize: 11,
          showMaxLabel: false,
          formatter: (value: number) => formatValue(value, drawn[0]?.unit ?? 'count'),
        },
      },
      series: drawn.flatMap((line, at) => seriesOf(line, at, binNs, tokens)),
    }),
    [drawn, binNs, durationNs, most],
  );
  useEChart(host, optionOf);
  return (
    <div className={css.series}>
      <div ref={host} className={css.host} role="img" aria-label={label} />
      <ol className={css.marks} aria-label="Longest waits on the time axis">
        {marks.map(({ id, atNs, chosen }) => (
          <li
            key={id}
            style={{
              left: `${Math.min(100, Math.max(0, (atNs / Math.max(1, durationNs)) * 100))}%`,
            }}
          >
            <button
              type="button"
              aria-pressed={chosen}
              aria-label={`Longest wait at ${formatValue(atNs, 'ns')}`}
              title={`Longest wait at ${formatValue(atNs, 'ns')}`}
              onClick={() => onMark?.(id)}
            />
          </li>
        ))}
        {lostAfterNs !== null && lostAfterNs < durationNs && (
          <li className={css.lost} style={{ left: `${(lostAfterNs / durationNs) * 100}%` }}>
            unreadable
          </li>
        )}
      </ol>
    </div>
  );
}

type Point = [number, number | null];

function seriesOf(line: SeriesLine, at: number, binNs: number, tokens: Tokens): object[] {
  const look = LINE_STYLES[at]!;
  const x = (bin: number) => ((bin + 0.5) * binNs) / 1e9;
  const points = (row: readonly (number | null)[]): Point[] =>
    row.map((value, bin) => [x(bin), value]);
  const plain = { type: 'line', symbol: 'none', silent: true, sampling: undefined };
  const mean = {
    ...plain,
    name: line.name,
    data: points(line.mean),
    lineStyle: { color: tokens[look.colour], width: 1.5, type: look.dash },
    itemStyle: { color: tokens[look.colour] },
    z: 3,
  };
  const { min, max } = line;
  if (!max) return [mean];
  const low = min ?? max.map(() => 0);
  const height = max.map((top, bin) => (top === null ? null : Math.max(0, top - (low[bin] ?? 0))));
  const stack = `band ${at}`;
  const hidden = { ...plain, stack, lineStyle: { opacity: 0 }, tooltip: { show: false } };
  return [
    { ...hidden, name: `${line.name} minimum`, data: points(low) },
    {
      ...hidden,
      name: `${line.name} maximum`,
      data: points(height),
      areaStyle: { color: tokens[look.colour], opacity: 0.17 },
    },
    mean,
  ];
}

function tip(params: unknown, lines: SeriesLine[], binNs: number): string {
  const first = (Array.isArray(params) ? params[0] : params) as { value?: Point } | undefined;
  const bin = Math.floor(((first?.value?.[0] ?? 0) * 1e9) / binNs);
  const rows = lines.map((line) => {
    const value = (row: readonly (number | null)[] | null) => {
      const found = row?.[bin];
      return typeof found === 'number' ? formatValue(found, line.unit) : null;
    };
    const [mean, low, high] = [value(line.mean), value(line.min), value(line.max)];
    const range = high === null ? '' : low === null ? ` (at most ${high})` : ` (${low} to ${high})`;
    return `${line.name}: ${mean ?? '–'}${range}`;
  });
  return [formatValue(bin * binNs, 'ns'), ...rows].join('\n');
}

/** Shows the color and the dash of each line. */
export function SeriesLegend({ names }: { names: string[] }): ReactElement {
  return (
    <span className={plot.keys}>
      {names.slice(0, MAX_LINES).map((name, at) => {
        const { colour, dash } = LINE_STYLES[at]!;
        return (
          <span key={name} className={plot.key}>
            <svg width={22} height={8} aria-hidden="true">
              <path
                d="M0 4h22"
                stroke={`var(--${colour})`}
                strokeWidth="1.8"
                strokeDasharray={dash === 'solid' ? undefined : dash.join(' ')}
              />
            </svg>
            {name}
          </span>
        );
      })}
    </span>
  );
}
