/** Budgets of the services on the dashboard, and production events of its change points. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { calls, type Budget } from '../../../api';
import type { LimitMarker } from '../../../charts/dashboard';
import type { Dashboard, QuantileId } from '../../../engine/dashboard/dashboard-file';
import { spanOf, type TimeSpan } from '../../../engine/dashboard/time-grid';
import { formatValue } from '../../../engine/format/format';

const STALE_MS = 60_000;
const NS_PER_S = 1e9;

const limitsQuery = (environment_id: string) =>
  queryOptions({
    queryKey: ['budget', 'environment', environment_id],
    queryFn: ({ signal }) => calls.budgetsList({ query: { environment_id }, signal }),
    staleTime: STALE_MS,
    enabled: environment_id !== '',
  });

const eventsQuery = (environment_id: string, { fromMs, toMs }: TimeSpan) =>
  queryOptions({
    queryKey: ['production-event', 'of-change-points', environment_id, fromMs, toMs],
    queryFn: ({ signal }) =>
      calls.productionEventsList({
        query: {
          environment_id,
          from: new Date(fromMs).toISOString(),
          to: new Date(toMs).toISOString(),
        },
        signal,
      }),
    staleTime: STALE_MS,
    enabled: environment_id !== '',
  });

/** Returns a service's absolute limits that apply to all requests and to a drawn quantile. */
export function limitsOf(
  budgets: readonly Budget[],
  serviceId: string,
  quantiles: readonly QuantileId[],
): LimitMarker[] {
  return budgets.flatMap(({ id, service_id, signal, route, limit }) =>
    service_id === serviceId &&
    route === null &&
    limit.type === 'absolute' &&
    quantiles.some((quantile) => quantile === signal)
      ? [
          {
            id,
            seconds: limit.seconds,
            label: `budget ${signal} ${formatValue(limit.seconds * NS_PER_S, 'ns')}`,
          },
        ]
      : [],
  );
}

const NONE: readonly Budget[] = [];

/** Returns the budgets of an environment; none until they are loaded. */
export const useBudgets = (environmentId: string): readonly Budget[] =>
  useQuery(limitsQuery(environmentId)).data?.items ?? NONE;

export type EventOfChange = { id: string; number: number };

/** Returns a function that finds the production event of a change point. */
export function useEventsOfChanges(board: Dashboard | undefined) {
  const span = useMemo(() => (board ? spanOf(board.grid) : { fromMs: 0, toMs: 0 }), [board]);
  const hasChanges = !!board && board.changes.length > 0;
  const events = useQuery(
    eventsQuery(hasChanges ? (board.environment?.id ?? '') : '', changedSpan(board, span)),
  ).data?.items;
  const byChange = useMemo(
    () =>
      new Map(
        (events ?? []).flatMap(({ id, number, change_point_ids }) =>
          change_point_ids.map((change) => [change, { id, number }] as const),
        ),
      ),
    [events],
  );
  return useCallback((change: string) => byChange.get(change) ?? null, [byChange]);
}

/**
 * Returns the time from the first to the last change point: it changes only with the change points,
 * not when a live dashboard moves on.
 */
function changedSpan(board: Dashboard | undefined, span: TimeSpan): TimeSpan {
  const times = board?.changes.map(({ at_ms }) => at_ms) ?? [];
  return times.length === 0 ? span : { fromMs: Math.min(...times), toMs: Math.max(...times) };
}
