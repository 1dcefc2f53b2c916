/** Finds what is at a point, and the box of a frame with all it calls. All in CSS pixels. */
import type { Arranged } from '../../engine/flame/flame-model';
import type { Scene } from '../../engine/flame/flame-scene';
import type { Extent, Pane } from '../../engine/flame/flame-viewport';
import { deepestLevel } from '../../engine/flame/flame-path';
import { frameAtPlace } from '../../engine/flame/flame-scene';
import { frameHeight, levelAt, topOf } from '../../engine/flame/flame-viewport';
import { levelOf } from '../../engine/flame/frame-table';
import type { Box } from './tooltip-position';
import type { Target } from './frame-description';

/** One pane as it was last drawn. */
export type PaneState = { pane: Pane; extent: Extent; scene: Scene };

export type TargetBoxes = { frame: Box; kept: Box; downwards: boolean };

/** Margin around a rest, because one of a pixel is hard to hit. */
const REST_REACH_PX = 1;

/** Returns the target at a point; y counts from the first row, regardless of scrolling. */
export function targetAt(
  arranged: Arranged,
  states: readonly PaneState[],
  x: number,
  y: number,
): Target | null {
  for (const state of states) {
    const { pane } = state;
    const level = levelAt(pane, y);
    if (x < pane.x || x >= pane.x + pane.width || level < pane.firstLevel || level > pane.lastLevel)
      continue;
    const target = targetInPane(arranged, state, level, x - pane.x);
    if (target !== null) return target;
  }
  return null;
}

function targetInPane(
  arranged: Arranged,
  state: PaneState,
  level: number,
  x: number,
): Target | null {
  const { pane, extent, scene } = state;
  const { table, side } = pane;
  const placement = arranged.sides[side]!.placements[table]!;
  const frame = frameAtPlace(
    arranged.tables[table]!,
    placement,
    level,
    extent.from + x / extent.scale,
  );
  if (frame >= 0 && placement.width[frame]! * extent.scale >= 1)
    return { kind: 'frame', side, table, frame };
  for (let at = 0; at < scene.rests; at++) {
    const left = scene.restXAt(at) - REST_REACH_PX;
    const right = left + scene.restWidthAt(at) + 2 * REST_REACH_PX;
    if (scene.restLevelAt(at) !== level || x < left || x > right) continue;
    return { kind: 'rest', side, table, level, rest: scene.restAt(at) };
  }
  return null;
}

/** Returns the siblings that a target covers. */
function coverOf(target: Target): { first: number; last: number } {
  if (target.kind === 'frame') return { first: target.frame, last: target.frame };
  const { from, to, parent } = target.rest;
  return from < to ? { first: from, last: to - 1 } : { first: parent, last: parent };
}

/** Returns a target's box on a canvas scrolled by `scrollTop`, and the box with all it calls. */
export function boxesOf(
  arranged: Arranged,
  states: readonly PaneState[],
  target: Target,
  scrollTop: number,
): TargetBoxes | null {
  const state = states.find(({ pane }) => pane.table === target.table && pane.side === target.side);
  if (state === undefined) return null;
  const { pane, extent } = state;
  const placement = arranged.sides[target.side]!.placements[target.table]!;
  const frames = arranged.tables[target.table]!;
  const { first, last } = coverOf(target);
  const left = pane.x + (placement.left[first]! - extent.from) * extent.scale;
  const right =
    pane.x + (placement.left[last]! + placement.width[last]! - extent.from) * extent.scale;
  const level = target.kind === 'frame' ? levelOf(frames, first) : target.level;
  const deepest = target.kind === 'frame' ? deepestLevel(frames, first, level) : level;
  const top = topOf(pane, level) - scrollTop;
  const end = topOf(pane, deepest) - scrollTop;
  const frame = {
    left: Math.max(pane.x, left),
    right: Math.min(pane.x + pane.width, right),
    top,
    bottom: top + frameHeight(pane, level),
  };
  const kept = {
    ...frame,
    top: Math.min(top, end),
    bottom: Math.max(frame.bottom, end + frameHeight(pane, deepest)),
  };
  return { frame, kept, downwards: pane.direction === 1 };
}
