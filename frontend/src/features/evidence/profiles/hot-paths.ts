/** Texts and chart values of the hot paths of goroutines, in bytes. */
import type { HotPath, HotPathSide } from '../../../api';

export type SideName = 'base' | 'candidate';

/** The factor of the axis that leaves space to the right of the deepest path. */
const SCALE = 1.08;
const KIB = 1024;

export const bytesText = (bytes: number): string => bytes.toLocaleString('en-US');

export type Limit = { bytes: number; stack: number };

/** Returns the end of the axis, and the depths on it at which a call needs the next stack size. */
export function axisOf(paths: readonly HotPath[]): { end: number; limits: Limit[] } {
  const sides = paths.flatMap(({ base, candidate }) => (candidate ? [base, candidate] : [base]));
  const deepest = Math.max(
    1,
    ...sides.map((side) => Math.max(side.highest_bytes, side.runtime_bytes ?? 0)),
  );
  const guard = sides[0] ? sides[0].stack_bytes - sides[0].limit_bytes : 0;
  const nearest = Math.min(
    ...sides.map(({ limit_bytes: limit }) => limit).filter((limit) => limit > deepest),
  );
  const end = SCALE * Math.max(deepest, nearest <= 1.5 * deepest ? nearest : 0);
  const limits: Limit[] = [];
  for (let stack = 2 * KIB; stack - guard < end; stack *= 2)
    limits.push({ bytes: stack - guard, stack });
  return { end, limits };
}

export const stackText = (bytes: number): string => `${bytesText(bytes / KIB)} KiB`;

/** Returns whether the candidate needs a larger stack than the base. */
export const crosses = ({ base, candidate }: HotPath): boolean =>
  candidate !== null && candidate.stack_bytes > base.stack_bytes;

/** Describes the bytes that are left on a side before the next stack size. */
export function roomText(side: HotPathSide): string {
  const needs =
    side.lowest_bytes === side.highest_bytes
      ? bytesText(side.highest_bytes)
      : `${bytesText(side.lowest_bytes)} to ${bytesText(side.highest_bytes)}`;
  return `${needs} of ${bytesText(side.limit_bytes)} (${stackText(side.stack_bytes)}), ${bytesText(side.free_bytes)} left`;
}

/** Describes the change from base to candidate; '' without a candidate. */
export function changeText({ base, candidate }: HotPath): string {
  if (candidate === null) return '';
  const change = candidate.highest_bytes - base.highest_bytes;
  if (candidate.stack_bytes > base.stack_bytes)
    return `crosses ${bytesText(base.limit_bytes)} by ${bytesText(candidate.highest_bytes - base.limit_bytes)}`;
  if (change === 0) return 'unchanged';
  return `${change > 0 ? '+' : '−'}${bytesText(Math.abs(change))}`;
}

/** Returns the frames of a side as segments of a bar, as shares of the axis. */
export function segmentsOf(side: HotPathSide, end: number): { name: string; width: number }[] {
  const depths = side.frames.map(({ depth_bytes: depth }) => depth);
  return side.frames.map(({ function: name, depth_bytes: depth }, at) => ({
    name,
    width:
      Math.max(0, Math.min(depths[at + 1] ?? side.highest_bytes, side.highest_bytes) - depth) / end,
  }));
}

/** Returns the functions of a path, ordered by the most bytes that each would return. */
export const rankedFrames = ({ frames }: HotPathSide): HotPathSide['frames'] =>
  frames
    .filter(({ is_wrapper: made, returned_bytes: bytes }) => !made && bytes > 0)
    .toSorted((a, b) => b.returned_bytes - a.returned_bytes);

export const largestShare = ({ base_share: base, candidate_share: candidate }: HotPath): number =>
  Math.max(base, candidate);
