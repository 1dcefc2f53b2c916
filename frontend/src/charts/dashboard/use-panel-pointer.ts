/** The pointer over a panel: it moves the cursor of all panels, and a drag selects a time range. */
import { useCallback, useRef, type PointerEvent } from 'react';
import { indexAt, timeAt, type TimeGrid } from '../../engine/dashboard/time-grid';
import { selectedTimeOf, type CursorBus } from '../../engine/dashboard/cursor-bus';
import { timeAtX, type PlotArea } from './plot-area';

type PointerRequest = {
  bus: CursorBus;
  grid: TimeGrid;
  place: PlotArea;
  onBrush: (fromMs: number, toMs: number) => void;
};
type Moved = PointerEvent<HTMLElement>;

/** A drag shorter than this is a click. */
const SLIP_PX = 5;

export function usePanelPointer({ bus, grid, place, onBrush }: PointerRequest) {
  const began = useRef<{ x: number; index: number } | null>(null);
  const indexOf = useCallback(
    (event: Moved) => {
      const { left } = event.currentTarget.getBoundingClientRect();
      return indexAt(grid, timeAtX(place, event.clientX - left));
    },
    [grid, place],
  );
  const end = (event: Moved) => {
    const start = began.current;
    began.current = null;
    const chosen = selectedTimeOf(bus.state.brush);
    bus.brush(null);
    if (!start || !chosen || Math.abs(event.clientX - start.x) < SLIP_PX) return;
    onBrush(timeAt(grid, chosen.from), timeAt(grid, chosen.to));
  };
  return {
    onPointerDown: (event: Moved) => {
      // Buttons in the panel can still be clicked; a touch scrolls the page and selects nothing.
      if (event.button !== 0 || event.pointerType === 'touch') return;
      if ((event.target as Element).closest('button')) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      began.current = { x: event.clientX, index: indexOf(event) };
    },
    onPointerMove: (event: Moved) => {
      const index = indexOf(event);
      bus.move(index);
      if (began.current && Math.abs(event.clientX - began.current.x) >= SLIP_PX)
        bus.brush({ from: began.current.index, to: index });
    },
    onPointerUp: end,
    onPointerCancel: () => {
      began.current = null;
      bus.brush(null);
    },
    onPointerLeave: () => {
      if (!began.current) bus.leave();
    },
  };
}
