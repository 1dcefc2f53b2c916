/**
 * The time cursor that all panels share: an index of the shared grid. Moves within one animation
 * frame are combined, and all listeners are called in the same frame, so panels never show
 * different times.
 */

type Brush = { from: number; to: number };
export type CursorState = {
  /** Grid index; null = no cursor. */
  index: number | null;
  /** The current selection, as grid indexes in any order; null = none. */
  brush: Brush | null;
  /** The cursor was set by keys and stays when the pointer leaves. */
  pinned: boolean;
};
type CursorListener = (state: Readonly<CursorState>) => void;
type Schedule = (run: () => void) => unknown;

export class CursorBus {
  #state: CursorState = { index: null, brush: null, pinned: false };
  #listeners = new Set<CursorListener>();
  #points: number;
  #waiting = false;
  readonly #schedule: Schedule;

  /** @param schedule runs a function in the next animation frame */
  constructor(points: number, schedule: Schedule) {
    this.#points = points;
    this.#schedule = schedule;
  }

  get state(): Readonly<CursorState> {
    return this.#state;
  }

  /** Sets the length of the grid; an index beyond it moves to its end. */
  resize(points: number): void {
    this.#points = points;
    const { index } = this.#state;
    if (index !== null) this.#change({ index: this.#within(index) });
  }

  /** Calls the listener with the current state, then with every change. */
  listen(heard: CursorListener): () => void {
    this.#listeners.add(heard);
    heard(this.#state);
    return () => {
      this.#listeners.delete(heard);
    };
  }

  move(index: number | null, pinned = false): void {
    this.#change({ index: index === null ? null : this.#within(index), pinned });
  }

  /** Moves the cursor by keys; without a cursor, the move starts at the newest time. */
  step(by: number): void {
    this.move((this.#state.index ?? this.#points) + by, true);
  }

  /** Removes the cursor when the pointer leaves, unless it was set by keys. */
  leave(): void {
    if (!this.#state.pinned) this.#change({ index: null });
  }

  brush(brush: Brush | null): void {
    this.#change({
      brush: brush && { from: this.#within(brush.from), to: this.#within(brush.to) },
    });
  }

  #within(index: number): number {
    return Math.max(0, Math.min(this.#points - 1, Math.round(index)));
  }

  #change(change: Partial<CursorState>): void {
    const before = this.#state;
    const after = { ...before, ...change };
    if (
      after.index === before.index &&
      after.pinned === before.pinned &&
      after.brush?.from === before.brush?.from &&
      after.brush?.to === before.brush?.to
    )
      return;
    this.#state = after;
    if (this.#waiting) return;
    this.#waiting = true;
    this.#schedule(() => {
      this.#waiting = false;
      for (const heard of [...this.#listeners]) heard(this.#state);
    });
  }
}

/** Returns a selection in ascending order, or null if it is shorter than `least` steps. */
export function selectedTimeOf(brush: Brush | null, least = 2): Brush | null {
  if (!brush) return null;
  const [from, to] = [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)];
  return to - from >= least ? { from, to } : null;
}
