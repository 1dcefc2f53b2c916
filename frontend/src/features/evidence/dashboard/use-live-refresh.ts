/** Refreshes a live dashboard, except while a cursor is set or the time range is fixed. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { CursorBus } from '../../../engine/dashboard/cursor-bus';
import { LIVE_MS, serverNow } from './dashboard-queries';
import type { DashboardView } from './dashboard-url';

/** Returns the cursor bus of the page; its grid follows the dashboard that is shown. */
export function useCursorBus(): CursorBus {
  const [bus] = useState(() => new CursorBus(1, (run) => requestAnimationFrame(run)));
  return bus;
}

export type LiveRefresh = {
  state: 'live' | 'held' | 'fixed';
  /** The refetch interval; false = no refetch. */
  refetchMs: number | false;
};

export function useLiveRefresh(bus: CursorBus, range: DashboardView['range']): LiveRefresh {
  const held = useSyncExternalStore(
    (heard) => bus.listen(heard),
    () => bus.state.index !== null,
  );
  if (typeof range !== 'string') return { state: 'fixed', refetchMs: false };
  return held ? { state: 'held', refetchMs: false } : { state: 'live', refetchMs: LIVE_MS[range] };
}

/** Returns the server's current time, updated every second while `going` is true. */
export function useNow(going: boolean): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!going) return undefined;
    const timer = setInterval(() => setNow(serverNow()), 1000);
    return () => clearInterval(timer);
  }, [going]);
  return now;
}
