/**
 * The visible part of a layout: frames that are at least a pixel wide, and rests, which combine
 * narrower siblings with exact values. The time depends on the pixels of the viewport, not on the
 * number of frames, because binary search skips narrow siblings one pixel at a time. All omitted
 * frames are counted.
 */
import type { Scales } from './tree-draft';
import type { Placement } from './flame-layout';
import { framesWithin, hiddenExtent, weightsOf } from './flame-layout';
import type { FrameTable } from './frame-table';
import { levelCount, levelsDrawn } from './frame-table';

/** Narrower frames are combined. CSS pixels. */
const FRAME_MIN_PX = 1;

/** The viewport: left edge in shown units, CSS pixels per shown unit, width in pixels. */
type SceneWindow = {
  from: number;
  scale: number;
  widthPx: number;
  firstLevel: number;
  lastLevel: number;
  /** Narrower frames are combined; one pixel by default. */
  leastPx?: number;
};

/** A growing list of numbers that is reused for each drawing, to avoid garbage collection. */
class Numbers<Column extends Uint32Array | Float64Array> {
  values: Column;
  readonly #make: (length: number) => Column;

  constructor(make: (length: number) => Column) {
    this.#make = make;
    this.values = make(1024);
  }

  put(at: number, value: number): void {
    if (at >= this.values.length) {
      const larger = this.#make(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[at] = value;
  }
}

const whole = () => new Numbers((length) => new Uint32Array(length));
const real = () => new Numbers((length) => new Float64Array(length));

/** A rest: the siblings [from, to), or if these are equal, the unsent frames below `parent`. */
export type Rest = { parent: number; from: number; to: number };

/**
 * The content of one viewport, by level and from left to right; reused for each drawing. x and
 * width are CSS pixels from the left edge, not rounded, and may exceed the viewport.
 */
export class Scene {
  frames = 0;
  rests = 0;
  /** The number of frames with a width within rests, without unsent frames. */
  narrow = 0;
  /** The number of unsent frames in this viewport. */
  unsent = 0;

  readonly #frame = whole();
  readonly #frameLevel = whole();
  readonly #frameX = real();
  readonly #frameWidth = real();
  readonly #restParent = whole();
  readonly #restFrom = whole();
  readonly #restTo = whole();
  readonly #restLevel = whole();
  readonly #restX = real();
  readonly #restWidth = real();
  #parents = whole();
  #nextParents = whole();

  frameAt(at: number): number {
    return this.#frame.values[at]!;
  }
  levelAt(at: number): number {
    return this.#frameLevel.values[at]!;
  }
  xAt(at: number): number {
    return this.#frameX.values[at]!;
  }
  widthAt(at: number): number {
    return this.#frameWidth.values[at]!;
  }
  restAt(at: number): Rest {
    return {
      parent: this.#restParent.values[at]!,
      from: this.#restFrom.values[at]!,
      to: this.#restTo.values[at]!,
    };
  }
  restLevelAt(at: number): number {
    return this.#restLevel.values[at]!;
  }
  restXAt(at: number): number {
    return this.#restX.values[at]!;
  }
  restWidthAt(at: number): number {
    return this.#restWidth.values[at]!;
  }

  /** Fills the scene with a viewport. Levels before `firstLevel` are visited but not stored. */
  fill(frames: FrameTable, placement: Placement, scales: Scales, window: SceneWindow): void {
    this.frames = this.rests = this.narrow = this.unsent = 0;
    if (frames.count === 0 || window.scale <= 0) return;
    const weights = weightsOf(placement.side, scales);
    const last = Math.min(window.lastLevel, levelsDrawn(frames) - 1);
    let parents = 0;
    if (placement.width[0]! * window.scale >= (window.leastPx ?? FRAME_MIN_PX)) {
      this.#parents.put(parents++, 0);
      if (window.firstLevel <= 0) this.#keep(placement, window, 0, 0);
    }
    for (let level = 1; level <= last && parents > 0; level++) {
      let next = 0;
      for (let at = 0; at < parents; at++) {
        next = this.#lookBelow(
          frames,
          placement,
          weights,
          window,
          level,
          this.#parents.values[at]!,
          next,
        );
      }
      [this.#parents, this.#nextParents] = [this.#nextParents, this.#parents];
      parents = next;
    }
  }

  /** Adds the children of one frame. Returns the number of parents of the next level. */
  #lookBelow(
    frames: FrameTable,
    placement: Placement,
    weights: Scales,
    window: SceneWindow,
    level: number,
    parent: number,
    parentsBefore: number,
  ): number {
    const { left, width } = placement;
    const end = frames.childStart[parent + 1]!;
    const right = window.from + window.widthPx / window.scale;
    const least = (window.leastPx ?? FRAME_MIN_PX) / window.scale;
    const kept = level >= window.firstLevel;
    let parents = parentsBefore;
    let run = -1;
    let at = firstReaching(left, width, frames.childStart[parent]!, end, window.from);
    while (at < end && left[at]! < right) {
      if (width[at]! >= least) {
        if (run >= 0 && kept) this.#rest(placement, window, level, parent, run, at);
        run = -1;
        if (kept) this.#keep(placement, window, level, at);
        this.#nextParents.put(parents++, at++);
        continue;
      }
      if (run < 0) run = at;
      // All siblings that begin within the next pixel are narrow, except perhaps the last one.
      const beyond = firstFrom(left, at + 1, end, left[at]! + least);
      at = beyond - 1 > at && width[beyond - 1]! >= least ? beyond - 1 : beyond;
    }
    if (run >= 0 && kept) this.#rest(placement, window, level, parent, run, at);
    if (kept && frames.hiddenNodes[parent]! > 0)
      this.#hidden(frames, placement, weights, window, level, parent, right);
    return parents;
  }

  #keep(placement: Placement, window: SceneWindow, level: number, frame: number): void {
    const at = this.frames++;
    this.#frame.put(at, frame);
    this.#frameLevel.put(at, level);
    this.#frameX.put(at, (placement.left[frame]! - window.from) * window.scale);
    this.#frameWidth.put(at, placement.width[frame]! * window.scale);
  }

  #rest(
    placement: Placement,
    window: SceneWindow,
    level: number,
    parent: number,
    from: number,
    to: number,
  ): void {
    const count = framesWithin(placement, from, to);
    if (count === 0) return;
    this.narrow += count;
    const x = placement.left[from]!;
    const width = placement.left[to - 1]! + placement.width[to - 1]! - x;
    this.#putRest(level, parent, from, to, (x - window.from) * window.scale, width * window.scale);
  }

  #hidden(
    frames: FrameTable,
    placement: Placement,
    weights: Scales,
    window: SceneWindow,
    level: number,
    parent: number,
    right: number,
  ): void {
    const { left, width } = hiddenExtent(frames, placement, weights, parent);
    if (left >= right || left + width <= window.from) return;
    this.unsent += frames.hiddenNodes[parent]!;
    if (width <= 0) return;
    this.#putRest(level, parent, 0, 0, (left - window.from) * window.scale, width * window.scale);
  }

  #putRest(
    level: number,
    parent: number,
    from: number,
    to: number,
    x: number,
    width: number,
  ): void {
    const at = this.rests++;
    this.#restParent.put(at, parent);
    this.#restFrom.put(at, from);
    this.#restTo.put(at, to);
    this.#restLevel.put(at, level);
    this.#restX.put(at, x);
    this.#restWidth.put(at, width);
  }
}

/** Returns the first index in [low, high) whose left edge is at or beyond `edge`. */
function firstFrom(left: Float64Array, low: number, high: number, edge: number): number {
  let from = low;
  // Most runs are short, so an exponential search precedes the binary search.
  let step = 1;
  while (from + step < high && left[from + step - 1]! < edge) {
    from += step;
    step *= 2;
  }
  let to = Math.min(high, from + step);
  while (from < to) {
    const middle = (from + to) >> 1;
    if (left[middle]! < edge) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Returns the first sibling that extends beyond `edge`. */
function firstReaching(
  left: Float64Array,
  width: Float64Array,
  low: number,
  high: number,
  edge: number,
): number {
  const next = firstFrom(left, low, high, edge);
  if (next > low && left[next - 1]! + width[next - 1]! > edge) return next - 1;
  return next;
}

type CollapsedFramesInfo = {
  frames: number;
  base: number;
  candidate: number;
  sent: boolean;
};

/** Returns the exact raw values of a rest. */
export function describeCollapsedFrames(
  frames: FrameTable,
  placement: Placement,
  rest: Rest,
): CollapsedFramesInfo {
  if (rest.from === rest.to) {
    return {
      frames: frames.hiddenNodes[rest.parent]!,
      base: frames.hiddenBase[rest.parent]!,
      candidate: frames.hiddenCandidate[rest.parent]!,
      sent: false,
    };
  }
  return {
    frames: framesWithin(placement, rest.from, rest.to),
    base: frames.basePrefix[rest.to]! - frames.basePrefix[rest.from]!,
    candidate: frames.candidatePrefix[rest.to]! - frames.candidatePrefix[rest.from]!,
    sent: true,
  };
}

/** Returns the frame of a level at a position in shown units, or -1; used for the pointer. */
export function frameAtPlace(
  frames: FrameTable,
  placement: Placement,
  level: number,
  place: number,
): number {
  if (level < 0 || level >= levelCount(frames)) return -1;
  const from = frames.levelStart[level]!;
  const next = firstFrom(placement.left, from, frames.levelStart[level + 1]!, place);
  const exact =
    next < frames.levelStart[level + 1]! &&
    placement.left[next] === place &&
    placement.width[next]! > 0;
  const frame = exact ? next : next - 1;
  if (frame < from) return -1;
  return place < placement.left[frame]! + placement.width[frame]! ? frame : -1;
}
