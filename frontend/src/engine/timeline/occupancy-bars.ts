/** Two stacked bars, base and candidate, of who held the processors: on one scale, heaviest of both together first. Pure. */
import { keyOf } from './p-occupancy';
import type { TileOccupant } from '../../api/api-types';

export type OccupancyShare = TileOccupant & {
  base: number;
  candidate: number;
  low: number | null;
  high: number | null;
  isNew: boolean;
};

export type Bar = { part: OccupancyShare; from: number; to: number };
type OccupancyBars = {
  base: Bar[];
  candidate: Bar[];
  baseTotal: number;
  candidateTotal: number;
  largest: number;
  /** What the legend lists: all that can be seen, what is new first. */
  listed: OccupancyShare[];
  /** How many are too small to be listed by themselves. */
  small: number;
};

/** Below this part of the larger bar a class is only a hair: it joins "smaller ones". */
const LISTED_FROM = 0.004;
const LISTED_MOST = 10;

const idleLast = ({ kind }: TileOccupant): number =>
  kind === 'idle' ? 3 : kind === 'unknown' ? 4 : kind === 'scheduler' ? 2 : 0;

export function layOutOccupancyBars(parts: readonly OccupancyShare[]): OccupancyBars {
  const byKey = new Map<string, OccupancyShare>();
  for (const part of parts) {
    const before = byKey.get(keyOf(part));
    byKey.set(
      keyOf(part),
      before
        ? { ...before, base: before.base + part.base, candidate: before.candidate + part.candidate }
        : part,
    );
  }
  const all = [...byKey.values()].sort(
    (a, b) =>
      Number(b.isNew) - Number(a.isNew) ||
      idleLast(a) - idleLast(b) ||
      b.base + b.candidate - (a.base + a.candidate),
  );
  const sum = (side: 'base' | 'candidate') => all.reduce((total, part) => total + part[side], 0);
  const [baseTotal, candidateTotal] = [sum('base'), sum('candidate')];
  const largest = Math.max(baseTotal, candidateTotal);
  const stacked = (side: 'base' | 'candidate'): Bar[] => {
    let from = 0;
    return all
      .filter((part) => part[side] > 0)
      .map((part) => {
        const bar = { part, from, to: from + part[side] };
        from = bar.to;
        return bar;
      });
  };
  const seen = all.filter((part) => Math.max(part.base, part.candidate) >= LISTED_FROM * largest);
  const listed = seen.slice(0, LISTED_MOST);
  return {
    base: stacked('base'),
    candidate: stacked('candidate'),
    baseTotal,
    candidateTotal,
    largest,
    listed,
    small: all.length - listed.length,
  };
}
