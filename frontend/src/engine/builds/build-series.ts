/** Layout of a series over builds: one dot per build, and one line segment per level. */

type BuildSeriesDot = { index: number; x: number; y: number; low: number; high: number };
/** The line segment of one level; `from` is the index of its first build. */
type BuildSeriesLevel = { from: number; fromX: number; toX: number; y: number };
/** A point of the trend; it `begins` a new line if the build before it has no value. */
type TrendPoint = { x: number; y: number; begins: boolean };
export type BuildSeriesLayout = {
  dots: BuildSeriesDot[];
  /** The range of the scale: all values, intervals, levels and limits. */
  range: readonly [least: number, most: number];
  levels: BuildSeriesLevel[];
  trend: TrendPoint[];
  /** The x coordinate halfway between a build and the build before it. */
  xBefore: (index: number) => number;
  xOf: (index: number) => number;
  yOf: (value: number) => number;
  /** The index of the build nearest to an x coordinate, including builds without a value. */
  indexAt: (x: number) => number;
};

type BuildSeriesInput = {
  values: (number | null)[];
  /** The level of the series at each build, without noise. */
  levels: (number | null)[];
  /** The series without noise at each build, if its level changes slowly instead of in steps. */
  trend?: (number | null)[];
  low?: (number | null)[];
  high?: (number | null)[];
  /** Further values that the scale must include. */
  limits?: number[];
};

/**
 * The scale includes every value and level; a series without variation is in the middle.
 * @param width,height in CSS pixels; `pad` is left free on all sides.
 */
export function layOutBuildSeries(
  { values, levels, trend = [], low, high, limits = [] }: BuildSeriesInput,
  width: number,
  height: number,
  pad = 2,
): BuildSeriesLayout {
  const known = [...values, ...levels, ...trend, ...(low ?? []), ...(high ?? []), ...limits].filter(
    (value): value is number => value !== null && Number.isFinite(value),
  );
  const least = known.length > 0 ? Math.min(...known) : 0;
  const most = known.length > 0 ? Math.max(...known) : 1;
  const span = most - least;
  const pitch = (width - 2 * pad) / Math.max(1, values.length);
  const xOf = (index: number): number => pad + (index + 0.5) * pitch;
  const yOf = (value: number): number =>
    span === 0 ? height / 2 : pad + (height - 2 * pad) * (1 - (value - least) / span);
  const dots: BuildSeriesDot[] = [];
  values.forEach((value, index) => {
    if (value === null || !Number.isFinite(value)) return;
    dots.push({
      index,
      x: xOf(index),
      y: yOf(value),
      low: yOf(low?.[index] ?? value),
      high: yOf(high?.[index] ?? value),
    });
  });
  return {
    dots,
    range: [least, most],
    levels: levelsOf(levels, pad, pitch, yOf),
    trend: trend.flatMap((value, index) =>
      value === null
        ? []
        : [{ x: xOf(index), y: yOf(value), begins: (trend[index - 1] ?? null) === null }],
    ),
    xBefore: (index) => pad + index * pitch,
    xOf,
    yOf,
    indexAt: (x) =>
      Math.min(values.length - 1, Math.max(0, Math.floor((x - pad) / Math.max(pitch, 1e-9)))),
  };
}

/**
 * Returns round values of a range for an axis, in ascending order: multiples of 1, 2, 2.5 or 5
 * times a power of ten, or of a power of two for bytes. At least two, unless the range is empty.
 * @param spacing least distance of two ticks, in the unit of the values; halved until two fit
 */
export function axisTicks(
  [least, most]: readonly [number, number],
  spacing: number,
  isBinary: boolean,
): number[] {
  if (!(most > least) || !(spacing > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(spacing));
  const step = isBinary
    ? 2 ** Math.ceil(Math.log2(spacing))
    : ([1, 2, 2.5, 5].find((each) => each * power >= spacing) ?? 10) * power;
  const first = Math.ceil(least / step);
  const count = Math.floor(most / step) - first + 1;
  if (count < 2) return axisTicks([least, most], step / 2, isBinary);
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

/**
 * Returns the indexes of the positions that get a label. The last one always does; no two are
 * closer than `leastPx`.
 * @param positions in ascending order
 */
export function labelledPositions(positions: readonly number[], leastPx: number): number[] {
  const labelled: number[] = [];
  for (let index = positions.length - 1; index >= 0; index -= 1) {
    const next = labelled[0];
    if (next === undefined || positions[next]! - positions[index]! >= leastPx)
      labelled.unshift(index);
  }
  return labelled;
}

function levelsOf(
  levels: (number | null)[],
  pad: number,
  pitch: number,
  yOf: (value: number) => number,
): BuildSeriesLevel[] {
  const found: BuildSeriesLevel[] = [];
  let begun = 0;
  for (let index = 1; index <= levels.length; index += 1) {
    if (index < levels.length && levels[index] === levels[begun]) continue;
    const level = levels[begun];
    if (level !== null && level !== undefined)
      found.push({
        from: begun,
        fromX: pad + begun * pitch,
        toX: pad + index * pitch,
        y: yOf(level),
      });
    begun = index;
  }
  return found;
}

/** Returns the level at each build: the first level before the step, and the last from there on. */
export function sparklineLevels(
  length: number,
  step_at: number | null,
  levels: number[],
): (number | null)[] {
  const first = levels[0] ?? null;
  const last = levels[levels.length - 1] ?? null;
  return Array.from({ length }, (_, index) => (step_at === null || index < step_at ? first : last));
}

/** Tukey's fences: an outlier is further than this many interquartile ranges from the quartiles. */
const FENCE = 1.5;

/**
 * Returns the values with outliers clamped to Tukey's fences, because in a small chart a single
 * outlier would make a step invisible. Levels are never clamped.
 */
export function withoutOutliers(values: (number | null)[], levels: number[]): (number | null)[] {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  if (known.length < 4) return values;
  known.sort((a, b) => a - b);
  const quartile = (part: number) => known[Math.round(part * (known.length - 1))]!;
  const [low, high] = [quartile(0.25), quartile(0.75)];
  const least = Math.min(low - FENCE * (high - low), ...levels);
  const most = Math.max(high + FENCE * (high - low), ...levels);
  return values.map((value) => (value === null ? null : Math.min(most, Math.max(least, value))));
}
