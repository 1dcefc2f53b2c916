/** Layout of two stacked bars, base and candidate, with the P occupancy of a wait on one scale. */
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
  /** Entries of the legend: the parts that are large enough to see, new ones first. */
  listed: OccupancyShare[];
  /** The number of parts that the legend does not list. */
  small: number;
};

/** A part below this share of the larger bar is too thin to see and is not listed. */
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
