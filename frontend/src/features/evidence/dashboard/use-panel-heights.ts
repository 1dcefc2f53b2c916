/** The heights of panels: the rows fill the window, within limits that stay readable. */
import { useLayoutEffect, useState, type RefObject } from 'react';
import type { DashboardRow } from '../../../engine/dashboard/dashboard-file';

/** The height if the list starts below the upper half of the window, or the window is narrow. */
const USUAL_PX = 111;
const LEAST_PX = 72;
const MOST_PX = 180;
/** The minimum height of the panels of a service that is shown alone. */
const LARGE_PX = 260;
/**
 * The caption of a panel with the border above the row, the strip of a gauge, and the axis with the
 * space below it.
 */
const CAPTION_PX = 25;
const STRIP_PX = 44;
const AXIS_PX = 40;
const NARROW_PX = 860;

export type PanelHeights = { usual: number; affected: number };

/**
 * Returns the heights with which rows with these numbers of gauges fill the space. `affected` is
 * the index of the headline's row, or -1: its panels are twice as high.
 */
export function panelHeights(
  availablePx: number,
  gauges: readonly number[],
  affected: number,
): PanelHeights {
  const besides = gauges.reduce((sum, count) => sum + CAPTION_PX + (count > 0 ? STRIP_PX : 0), 0);
  const rows = gauges.length + (affected < 0 ? 0 : 1);
  const each = Math.floor((availablePx - besides) / Math.max(1, rows));
  const usual = Math.max(LEAST_PX, Math.min(MOST_PX, each));
  return { usual, affected: Math.min(2 * usual, 2 * MOST_PX) };
}

export function usePanelHeights(
  list: RefObject<HTMLElement | null>,
  rows: readonly DashboardRow[],
  affectedId: string | null,
  alone: boolean,
): PanelHeights {
  const [availablePx, setAvailable] = useState<number | null>(null);
  useLayoutEffect(() => {
    const measure = () => {
      const topPx = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      const isFilled = window.innerWidth > NARROW_PX && topPx < window.innerHeight / 2;
      setAvailable(isFilled ? window.innerHeight - topPx - AXIS_PX : null);
    };
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, [list]);
  if (alone)
    return { usual: LARGE_PX, affected: Math.max(LARGE_PX, (availablePx ?? 0) - CAPTION_PX) };
  if (availablePx === null) return { usual: USUAL_PX, affected: USUAL_PX };
  const affected = rows.findIndex(({ service }) => service.id === affectedId);
  return panelHeights(
    availablePx,
    rows.map(({ gauges }) => gauges.length),
    affected,
  );
}
