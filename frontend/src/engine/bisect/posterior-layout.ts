/**
 * Layout of the posterior over the levels of a bisect: the levels are side by side, each with one
 * bar per candidate in commit order.
 */

export type PosteriorLevel = {
  key: string;
  /** Posterior (`belief`) and prior (`before`) of each candidate in commit order, 0 to 1. */
  belief: readonly number[];
  before: readonly number[];
  /** Index of the candidate that was expanded into the next level; null if none was. */
  opened: number | null;
};

type PosteriorBar = { index: number; x: number; width: number; y: number; height: number };
export type PosteriorLevelLayout = {
  key: string;
  x: number;
  width: number;
  /** Only visible bars: a probability whose bar would be below half a pixel has none. */
  bars: PosteriorBar[];
  /** The prior, as the `d` attribute of an SVG path. */
  before: string;
  /** Index of the candidate with the highest posterior. */
  best: number;
  xOf: (index: number) => number;
  indexAt: (x: number) => number;
  /** The y of the highest bar or prior between two x coordinates; the baseline if there is none. */
  topBetween: (from: number, to: number) => number;
};
type PosteriorLayout = {
  levels: PosteriorLevelLayout[];
  baseline: number;
  stacked: boolean;
};

const GAP_PX = 56;
const LEAST_PX = 150;
const LABEL_PX = 30;
const THINNEST_PX = 1.4;

/**
 * Places levels side by side if each has enough width; levels with more candidates are wider.
 * Otherwise each level has a separate row, and all rows have the same height.
 * @param width,height of a row of levels in CSS pixels
 */
export function layOutPosterior(
  levels: readonly PosteriorLevel[],
  width: number,
  height: number,
): PosteriorLayout {
  const baseline = height;
  const room = width - GAP_PX * Math.max(0, levels.length - 1);
  const stacked = levels.length > 1 && room / levels.length < LEAST_PX;
  const widths = stacked ? levels.map(() => width) : shares(levels, room);
  let x = 0;
  return {
    baseline,
    stacked,
    levels: levels.map((level, at) => {
      const wide = widths[at] ?? width;
      const laid = layoutLevel(level, stacked ? 0 : x, wide, baseline, height - LABEL_PX);
      x += wide + GAP_PX;
      return laid;
    }),
  };
}

/** Returns widths: the least width, plus a part proportional to the root of the candidate count. */
function shares(levels: readonly PosteriorLevel[], room: number): number[] {
  const weights = levels.map(({ belief }) => Math.sqrt(Math.max(1, belief.length)));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const free = Math.max(0, room - LEAST_PX * levels.length);
  const least = Math.min(LEAST_PX, room / Math.max(1, levels.length));
  return weights.map((weight) => least + (free * weight) / all);
}

function layoutLevel(
  { key, belief, before }: PosteriorLevel,
  x: number,
  width: number,
  baseline: number,
  tall: number,
): PosteriorLevelLayout {
  const pitch = width / Math.max(1, belief.length);
  const gap = Math.min(6, pitch * 0.25);
  const bars: PosteriorBar[] = [];
  let best = 0;
  belief.forEach((share, index) => {
    if (share > (belief[best] ?? 0)) best = index;
    const height = Math.max(0, Math.min(1, share)) * tall;
    if (height < 0.5) return;
    bars.push({
      index,
      x: x + index * pitch + gap / 2,
      width: Math.max(THINNEST_PX, pitch - gap),
      y: baseline - height,
      height,
    });
  });
  const most = Math.max(...before, 1e-12);
  // With many candidates every prior is small, so the largest is drawn at a third of the height.
  const scale = tall / 3 / most;
  const priorY = before.map((share) => baseline - share * scale);
  const steps = priorY.map((at, index) => {
    const y = at.toFixed(1);
    const from = (x + index * pitch).toFixed(1);
    return `${index === 0 ? 'M' : 'L'}${from} ${y}L${(x + (index + 1) * pitch).toFixed(1)} ${y}`;
  });
  const indexAt = (at: number) =>
    Math.min(belief.length - 1, Math.max(0, Math.floor((at - x) / Math.max(pitch, 1e-9))));
  return {
    key,
    x,
    width,
    bars,
    before: steps.join(''),
    best,
    xOf: (index) => x + (index + 0.5) * pitch,
    indexAt,
    topBetween: (from, to) => {
      const [first, last] = [indexAt(from), indexAt(to)];
      const under = bars.filter(({ index }) => index >= first && index <= last);
      return Math.min(baseline, ...priorY.slice(first, last + 1), ...under.map(({ y }) => y));
    },
  };
}
