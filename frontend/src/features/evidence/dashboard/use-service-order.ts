/** The order of rows: the server's, or the user's after a move, saved for the environment. */
import { useMutation } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { resetServiceOrder, setServiceOrder } from './dashboard-queries';

export type ServiceOrder = {
  /** Indexes into the rows of the dashboard, from the top. */
  rows: number[];
  source: Dashboard['orderSource'];
  error: Error | null;
  /** Moves a row by one position up or down and saves the order. */
  move: (id: string, by: number) => void;
  /** Moves a row to a position during a drag, without saving. */
  place: (id: string, at: number) => void;
  drop: (id: string, at: number) => void;
  reset: () => void;
  /** The announcement after a move. */
  announcement: string;
};

export const ORDER_LABELS: Record<Dashboard['orderSource'], string> = {
  manual: 'In custom order',
  spans: 'In request order',
  name: 'By name',
};

export function moved(ids: readonly string[], id: string, at: number): string[] {
  const others = ids.filter((each) => each !== id);
  const place = Math.max(0, Math.min(others.length, at));
  return [...others.slice(0, place), id, ...others.slice(place)];
}

/** Returns the row indexes in order. Rows that the order does not name (new services) are last. */
export function arranged(ids: readonly string[], order: readonly string[] | null): number[] {
  const rows = ids.map((_, index) => index);
  if (!order) return rows;
  const rank = new Map(order.map((id, at) => [id, at]));
  return rows.sort(
    (a, b) => (rank.get(ids[a] ?? '') ?? order.length) - (rank.get(ids[b] ?? '') ?? order.length),
  );
}

export function useServiceOrder(board: Dashboard, onOrdered: () => Promise<unknown>): ServiceOrder {
  const environment = board.environment?.id ?? '';
  // The user's order and its environment: each environment has its own.
  const [hand, setHand] = useState<{ environment: string; ids: string[] } | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const served = board.rows.map(({ service }) => service.id);
  const own = hand?.environment === environment ? hand.ids : null;
  const rows = arranged(served, own);
  const ids = rows.map((row) => served[row] ?? '');
  const save = useMutation({
    mutationFn: (next: string[]) => setServiceOrder(environment, next),
    onSuccess: onOrdered,
    onError: () => setHand(null),
  });
  const reset = useMutation({
    mutationFn: () => resetServiceOrder(environment),
    onSuccess: async () => {
      await onOrdered();
      setHand(null);
    },
  });
  const arrange = useCallback(
    (next: string[]) => setHand({ environment, ids: next }),
    [environment],
  );
  return {
    rows,
    source: own ? 'manual' : board.orderSource,
    error: save.error ?? reset.error,
    move: (id, by) => {
      const at = ids.indexOf(id) + by;
      if (at < 0 || at >= ids.length) return;
      const next = moved(ids, id, at);
      arrange(next);
      save.mutate(next);
      const name = board.rows.find(({ service }) => service.id === id)?.service.name ?? '';
      setAnnouncement(`${name} is row ${at + 1} of ${ids.length}`);
    },
    place: (id, at) => arrange(moved(ids, id, at)),
    drop: (id, at) => {
      if (ids.indexOf(id) !== at) save.mutate(moved(ids, id, at));
    },
    reset: reset.mutate,
    announcement,
  };
}
