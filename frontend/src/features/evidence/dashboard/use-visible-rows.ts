/** Loads rows when they come into view, a page at a time. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, type RefObject } from 'react';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { PAGE_ROWS, loadRows, type DashboardRequest } from './dashboard-queries';

const NEAR = '600px 0px';
/** Rows that come into view within this time are loaded with one request. */
const GATHER_MS = 60;

/** Returns the visible rows that are not loaded, and rows after the first to fill a page. */
export function pageOf(order: readonly string[], waiting: ReadonlySet<string>, seen: string[]) {
  const first = Math.min(...seen.map((id) => order.indexOf(id)).filter((at) => at >= 0));
  if (!Number.isFinite(first)) return [];
  const next = order.slice(first).filter((id) => waiting.has(id));
  return [...new Set([...seen.filter((id) => waiting.has(id)), ...next])].slice(0, PAGE_ROWS);
}

/** Loads rows with `data-waiting` (not loaded yet) when they come near the viewport. */
export function useVisibleRows(
  list: RefObject<HTMLOListElement | null>,
  board: Dashboard,
  order: readonly string[],
  view: DashboardRequest,
  /** Whether the dashboard is that of the previous view, shown until the response arrives. */
  stale: boolean,
): { error: Error | null; again: () => void } {
  const client = useQueryClient();
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (ids: string[]) => loadRows(client, view, ids),
  });
  const known = useRef({ order, board });
  useEffect(() => {
    known.current = { order, board };
  });
  useEffect(() => {
    const rows = list.current?.querySelectorAll('[data-waiting]');
    if (stale || isPending || error || !rows?.length) return undefined;
    const seen = new Set<string>();
    let gather: ReturnType<typeof setTimeout> | undefined;
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const id = (target as HTMLElement).dataset.row ?? '';
          if (isIntersecting) seen.add(id);
          else seen.delete(id);
        }
        if (seen.size === 0) return;
        gather ??= setTimeout(() => {
          gather = undefined;
          const waiting = new Set(
            known.current.board.rows.flatMap((row) => (row.loaded ? [] : [row.service.id])),
          );
          const page = pageOf(known.current.order, waiting, [...seen]);
          if (page.length > 0) mutate(page);
        }, GATHER_MS);
      },
      { rootMargin: NEAR },
    );
    rows.forEach((row) => watcher.observe(row));
    return () => {
      clearTimeout(gather);
      watcher.disconnect();
    };
  }, [list, board, stale, isPending, error, mutate]);
  return { error, again: reset };
}
