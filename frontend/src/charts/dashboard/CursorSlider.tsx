/**
 * The cursor for the keyboard and for screen readers: a slider over the time axis. Arrow keys move
 * it by one step of the grid and select a range with Shift; Enter shows the selected range; Escape
 * removes the cursor.
 */
import { useEffect, useRef, type KeyboardEvent, type ReactElement } from 'react';
import { timeAt, type TimeGrid } from '../../engine/dashboard/time-grid';
import { selectedTimeOf, type CursorBus } from '../../engine/dashboard/cursor-bus';
import { useKeyHints, type KeyHintEntry } from '../../ui';
import css from './dashboard.module.css';

type CursorSliderProps = {
  bus: CursorBus;
  grid: TimeGrid;
  label: string;
  /** Describes a time and its values for screen readers. */
  describe: (index: number) => string;
  onBrush: (fromMs: number, toMs: number) => void;
  /** Moves to the row above (−1) or below (1). */
  onRow: (by: number) => void;
  tabIndex: 0 | -1;
};

const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -20,
  PageDown: 20,
  Home: -1e9,
  End: 1e9,
};

const place = 'Panel of the dashboard';
const KEY_HINTS: readonly KeyHintEntry[] = [
  { keys: ['←', '→'], words: 'time before, after', place },
  { keys: ['PageUp', 'PageDown'], words: '20 steps before, after', place },
  { keys: ['Home', 'End'], words: 'first, last time', place },
  { keys: ['Shift ←', 'Shift →'], words: 'select a range of time', place },
  { keys: ['Enter'], words: 'show the selected range', place },
  { keys: ['↑', '↓'], words: 'row above, below', place },
  { keys: ['Esc'], words: 'release the time', place },
];

export function CursorSlider(props: CursorSliderProps): ReactElement {
  const { bus, grid, label, describe, tabIndex } = props;
  const slider = useRef<HTMLDivElement>(null);
  useKeyHints(KEY_HINTS);
  useEffect(
    () =>
      bus.listen(({ index }) => {
        const element = slider.current;
        // Only the focused slider is read aloud; the others need no text at every move.
        if (!element || (index !== null && document.activeElement !== element)) return;
        const at = index ?? grid.points - 1;
        element.setAttribute('aria-valuenow', String(at));
        element.setAttribute('aria-valuetext', index === null ? 'no time selected' : describe(at));
      }),
    [bus, grid, describe],
  );
  return (
    <div
      ref={slider}
      role="slider"
      tabIndex={tabIndex}
      className={css.slider}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, grid.points - 1)}
      aria-valuenow={grid.points - 1}
      aria-valuetext="no time selected"
      onKeyDown={(event) => press(event, props)}
    />
  );
}

function press(event: KeyboardEvent, { bus, grid, onBrush, onRow }: CursorSliderProps): void {
  const { key, shiftKey } = event;
  const step = STEPS[key];
  if (step !== undefined) {
    const from = bus.state.brush?.from ?? bus.state.index ?? grid.points - 1;
    bus.step(step);
    bus.brush(shiftKey && bus.state.index !== null ? { from, to: bus.state.index } : null);
  } else if (key === 'Escape') {
    bus.brush(null);
    bus.move(null);
  } else if (key === 'Enter') {
    const chosen = selectedTimeOf(bus.state.brush);
    bus.brush(null);
    if (chosen) onBrush(timeAt(grid, chosen.from), timeAt(grid, chosen.to));
  } else if (key === 'ArrowUp' || key === 'ArrowDown') {
    onRow(key === 'ArrowUp' ? -1 : 1);
  } else return;
  event.preventDefault();
}
