/**
 * Belief over the levels of a bisect as one path: the levels side by side, in each a bar a candidate in the order of its
 * commits, and from the bar that was opened a way down into the next level.
 */

export type PosteriorLevel = {
  key: string;
  /** Belief now and before the first deploy, 0 to 1, of each candidate in order. */
  belief: readonly number[];
  before: readonly number[];
  /** The candidate that was opened into the next level; null where none was. */
  opened: number | null;
};

type PosteriorBar = { index: number; x: number; width: number; y: number; height: number };
export type PosteriorLevelLayout = {
  key: string;
  x: number;
  width: number;
  /** Only those that are seen: a probability below half a pixel has no bar. */
  bars: PosteriorBar[];
  /** What was believed before, as the `d` of an SVG path. */
  before: string;
  /** The most believed candidate. */
  best: number;
  xOf: (index: number) => number;
  indexAt: (x: number) => number;
  /** The highest point of bars and prior between two x; the baseline where there is none. */
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
 * @param width,height of a row of levels in CSS pixels. Levels stand side by side where each has room, wider where
 * there
 * are more candidates; else each has a separate row, all of one height.
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

/** By the square root of how many candidates there are, and none too narrow to be read. */
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
  // What was believed before is small where there are many: it is drawn against its own largest, in the lower third.
  const scale = Math.min(tall, (tall / 3) * 1) / most;
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
