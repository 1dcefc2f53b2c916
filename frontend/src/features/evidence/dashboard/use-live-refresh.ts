/** The dashboard refreshes until the user inspects a time: a cursor or a zoom holds it. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { CursorBus } from '../../../engine/dashboard/cursor-bus';
import { LIVE_MS, serverNow } from './dashboard-queries';
import type { DashboardView } from './dashboard-url';

/** One bus as long as the page is; its grid follows the board that is shown. */
export function useCursorBus(): CursorBus {
  const [bus] = useState(() => new CursorBus(1, (run) => requestAnimationFrame(run)));
  return bus;
}

export type LiveRefresh = {
  state: 'live' | 'held' | 'fixed';
  /** How often to ask again; false = not at all. */
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

/** The server's time now, once a second while it is shown. */
export function useNow(going: boolean): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!going) return undefined;
    const timer = setInterval(() => setNow(serverNow()), 1000);
    return () => clearInterval(timer);
  }, [going]);
  return now;
}
