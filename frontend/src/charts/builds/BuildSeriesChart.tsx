/**
 * A series over builds: a dot per build with the interval of its profiles, the level without noise,
 * and a step where the level changes. One build is chosen by pointer or arrow keys; the page shows
 * its details.
 */
import { memo, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import {
  axisTicks,
  labelledPositions,
  layOutBuildSeries,
  type BuildSeriesLayout,
} from '../../engine/builds/build-series';
import { formatValue, unitOf } from '../../engine/format/format';
import { useKeyHints, type KeyHintEntry } from '../../ui';
import css from './builds.module.css';

export type BuildSeriesStep = {
  index: number;
  lowIndex: number;
  highIndex: number;
  tone: 'more' | 'less' | 'quiet';
};

/** A limit that users set, drawn as a line over all builds. */
export type SeriesLimit = { value: number; label: string };

type BuildSeriesChartProps = {
  label: string;
  unit: string;
  values: (number | null)[];
  /** Names of the builds on the axis. */
  builds: readonly string[];
  low: (number | null)[];
  high: (number | null)[];
  levels: (number | null)[];
  /** The series without noise, if its level moves slowly: a thin line instead of levels. */
  trend?: (number | null)[];
  steps: BuildSeriesStep[];
  chosen: number | null;
  /** Indexes of the picked builds, each drawn as a line over the full height. */
  marked?: number[];
  limits?: SeriesLimit[];
  onChoose: (index: number) => void;
  onOpen?: (index: number) => void;
  height?: number;
};

const AXIS_PX = 64;
/** Height of the axis of the builds, below the plot. */
const BUILDS_PX = 17;
/** Width of a name of nine characters with space around it. */
const LABEL_WIDTH_PX = 78;
/** Space above and below the dots. */
const PAD_PX = 6;
/** Minimum distance of two values of the axis: their text height, or a fifth of a high axis. */
const TICK_PX = 14;
const TICK_SHARE = 0.2;
const NO_TREND: (number | null)[] = [];
const NOT_MARKED: number[] = [];
const NO_LIMITS: SeriesLimit[] = [];
const MOVES: Record<string, (index: number, length: number) => number> = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  Home: () => 0,
  End: (_, length) => length - 1,
};

const place = 'Series over builds';
const KEY_HINTS: readonly KeyHintEntry[] = [
  { keys: ['←', '→'], words: 'earlier, later build', place },
  { keys: ['Home', 'End'], words: 'first, last build', place },
  { keys: ['Enter'], words: 'open the build', place },
];

export function BuildSeriesChart(props: BuildSeriesChartProps) {
  const { label, unit, values, builds, low, high, levels, steps, chosen, onChoose, onOpen } = props;
  const { height = 120, trend = NO_TREND, marked = NOT_MARKED, limits = NO_LIMITS } = props;
  const box = useRef<HTMLDivElement>(null);
  useKeyHints(KEY_HINTS);
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const seen = new ResizeObserver(() => setWidth(Math.max(120, element.clientWidth)));
    seen.observe(element);
    return () => seen.disconnect();
  }, []);
  const plot = width - AXIS_PX;
  const line = useMemo(() => {
    const held = limits.map(({ value }) => value);
    return layOutBuildSeries(
      { values, levels, trend, low, high, limits: held },
      plot,
      height,
      PAD_PX,
    );
  }, [values, levels, trend, low, high, limits, plot, height]);
  const chosenDot = chosen === null ? undefined : line.dots.find(({ index }) => index === chosen);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && chosen !== null) onOpen?.(chosen);
    const move = MOVES[event.key];
    if (!move || values.length === 0) return;
    event.preventDefault();
    const next = move(chosen ?? values.length - 1, values.length);
    onChoose(Math.min(values.length - 1, Math.max(0, next)));
  };
  return (
    <div
      ref={box}
      className={css.line}
      // For the keyboard this is a slider: it chooses one of many builds.
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, values.length)}
      aria-valuenow={(chosen ?? values.length - 1) + 1}
      aria-valuetext={valueText(values[chosen ?? values.length - 1] ?? null, unit)}
      onKeyDown={onKeyDown}
    >
      <svg
        width={width}
        height={height + BUILDS_PX}
        aria-hidden
        onPointerMove={(event) => {
          const left = event.currentTarget.getBoundingClientRect().left + AXIS_PX;
          if (values.length > 0) onChoose(line.indexAt(event.clientX - left));
        }}
        onClick={() => {
          if (chosen !== null) onOpen?.(chosen);
        }}
      >
        <ValueAxis line={line} unit={unit} width={width} height={height} />
        <g transform={`translate(${AXIS_PX} 0)`}>
          {steps.map(({ index, lowIndex, highIndex, tone }) => (
            <g key={index} data-tone={tone}>
              {highIndex > lowIndex && (
                <rect
                  x={line.xBefore(lowIndex)}
                  width={line.xBefore(highIndex + 1) - line.xBefore(lowIndex)}
                  y={0}
                  height={height}
                  className={css.range}
                />
              )}
              <line
                x1={line.xBefore(index)}
                x2={line.xBefore(index)}
                y1={2}
                y2={height - 2}
                className={css.step}
              />
            </g>
          ))}
          <LimitLines line={line} limits={limits} width={plot} />
          <PickedBuildLines line={line} marked={marked} height={height} />
          {chosen !== null && (
            <line
              x1={line.xOf(chosen)}
              x2={line.xOf(chosen)}
              y1={0}
              y2={height}
              className={css.cursor}
            />
          )}
          <Marks line={line} steps={steps} />
          <BuildAxis line={line} builds={builds} width={plot} y={height} />
          {chosenDot && <circle cx={chosenDot.x} cy={chosenDot.y} r={3.5} className={css.chosen} />}
        </g>
      </svg>
    </div>
  );
}

type ValueAxisProps = { line: BuildSeriesLayout; unit: string; width: number; height: number };

/** Draws round values with a line each, or the value of a series without variation. */
function ValueAxis({ line, unit, width, height }: ValueAxisProps) {
  const [least, most] = line.range;
  const spacing = ((most - least) * Math.max(TICK_PX, height * TICK_SHARE)) / (height - 2 * PAD_PX);
  const ticks = axisTicks(line.range, spacing, unitOf(unit).quantity === 'bytes');
  const drawn = ticks.length > 0 || line.dots.length === 0 ? ticks : [least];
  return drawn.map((value) => (
    <g key={value}>
      <line
        x1={AXIS_PX}
        x2={width}
        y1={line.yOf(value)}
        y2={line.yOf(value)}
        className={css.grid}
      />
      <text x={AXIS_PX - 8} y={line.yOf(value) + 4} className={css.tick}>
        {formatValue(value, unit)}
      </text>
    </g>
  ));
}

type BuildAxisProps = {
  line: BuildSeriesLayout;
  builds: readonly string[];
  width: number;
  y: number;
};

/** Draws as many names of builds below their dots as have room, and always the newest. */
function BuildAxis({ line, builds, width, y }: BuildAxisProps) {
  const half = LABEL_WIDTH_PX / 2;
  // Names at both ends stay inside the plot.
  const middles = builds.map((_, index) => Math.max(half, Math.min(width - half, line.xOf(index))));
  return labelledPositions(middles, LABEL_WIDTH_PX).map((index) => {
    const x = line.xOf(index);
    return (
      <g key={index}>
        <line x1={x} x2={x} y1={y} y2={y + 3} className={css.cursor} />
        <text x={middles[index]} y={y + BUILDS_PX - 3} className={css.build}>
          {builds[index]}
        </text>
      </g>
    );
  });
}

type LimitProps = { line: BuildSeriesLayout; limits: SeriesLimit[]; width: number };

/** Minimum distance of a label from the upper edge and from the label above. */
const LABEL_PX = 12;

/** Draws limits with labels above their lines; a label that would cover another moves down. */
function LimitLines({ line, limits, width }: LimitProps) {
  let above = 0;
  return [...limits]
    .sort((a, b) => b.value - a.value)
    .map(({ value, label }) => {
      const y = line.yOf(value);
      above = Math.max(y - 4, above + LABEL_PX);
      return (
        <g key={label}>
          <line x1={0} x2={width} y1={y} y2={y} className={css.limit} />
          <text x={width - 4} y={above} className={css.limitLabel}>
            {label}
          </text>
        </g>
      );
    });
}

type PickedProps = { line: BuildSeriesLayout; marked: number[]; height: number };

const PickedBuildLines = ({ line, marked, height }: PickedProps) =>
  marked
    .filter((index) => index >= 0)
    .map((index) => (
      <line
        key={index}
        x1={line.xOf(index)}
        x2={line.xOf(index)}
        y1={0}
        y2={height}
        className={css.picked}
      />
    ));

type MarksProps = { line: BuildSeriesLayout; steps: BuildSeriesStep[] };

const LEVEL_TONES = ['none', 'quiet', 'more', 'less'] as const;

/**
 * Draws all builds as few paths, because a page has forty series of two hundred builds, and the
 * pointer moves over all of them at once.
 */
const Marks = memo(function Marks({ line, steps }: MarksProps) {
  const at = (x: number, y: number) => `M${x.toFixed(1)} ${y.toFixed(1)}`;
  const whiskers = line.dots.filter(({ low, high }) => low !== high);
  return (
    <>
      {LEVEL_TONES.map((tone) => (
        <path
          key={tone}
          data-tone={tone}
          className={css.level}
          d={line.levels
            .filter(
              ({ from }) => (steps.find(({ index }) => index === from)?.tone ?? 'none') === tone,
            )
            .map(({ fromX, toX, y }) => `${at(fromX, y)}H${toX.toFixed(1)}`)
            .join('')}
        />
      ))}
      <path
        className={css.trend}
        d={line.trend
          .map(({ x, y, begins }) => `${begins ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
          .join('')}
      />
      <path
        className={css.whisker}
        d={whiskers.map(({ x, low, high }) => `${at(x, low)}V${high.toFixed(1)}`).join('')}
      />
      <path className={css.dots} d={line.dots.map(({ x, y }) => `${at(x, y)}h0`).join('')} />
    </>
  );
});

const valueText = (value: number | null, unit: string): string =>
  value === null ? 'no value' : formatValue(value, unit);
