/** Queries of regressions, their history, the series behind them, and the verdicts on builds. */
import { queryOptions } from '@tanstack/react-query';
import { calls, type RegressionUpdate } from '../../../api';
import { pagedList } from '../../../ui';
import type { BuildListSearch } from './build-list-url';
import type { RegressionsSearch } from './regression-url';
import { CLOSED, OPEN, type SeriesKind } from './regression-wording';

const PAGE = 100;

export const regressionsQuery = ({ show, service, q }: RegressionsSearch) =>
  pagedList(['regression', 'list', { show, service, q }], (cursor, signal) =>
    calls.regressionsList({
      query: {
        service_id: service,
        search: q,
        state: show === 'open' || show === 'mine' ? OPEN : show === 'closed' ? CLOSED : undefined,
        assignee: show === 'mine' ? 'me' : undefined,
        confirmed: show !== 'candidates',
        cursor,
        limit: PAGE,
      },
      signal,
    }),
  );

export const buildListQuery = ({ q, branch, service }: BuildListSearch) =>
  pagedList(['build', 'listed', { q, branch, service }], (cursor, signal) =>
    calls.buildsList({
      query: { service_id: service, branch, search: q, cursor, limit: PAGE },
      signal,
    }),
  );

export const summaryQuery = queryOptions({
  queryKey: ['regression', 'summary'],
  queryFn: ({ signal }) => calls.regressionsSummary({ signal }),
});

export const regressionQuery = (regression_id: string) =>
  queryOptions({
    queryKey: ['regression', 'one', regression_id],
    queryFn: ({ signal }) => calls.regressionsGet({ path: { regression_id }, signal }),
  });

export const historyQuery = (regression_id: string) =>
  queryOptions({
    queryKey: ['regression', 'history', regression_id],
    queryFn: ({ signal }) =>
      calls.regressionsEvents({ path: { regression_id }, query: { limit: PAGE }, signal }),
  });

export const regressionSeriesQuery = (regression_id: string) =>
  queryOptions({
    queryKey: ['regression', 'series', regression_id],
    queryFn: ({ signal }) => calls.regressionsSeries({ path: { regression_id }, signal }),
  });

export const serviceSeriesQuery = (
  service_id: string,
  branch: string | undefined,
  kind: SeriesKind,
) =>
  queryOptions({
    queryKey: ['regression', 'service-series', service_id, branch, kind],
    queryFn: ({ signal }) =>
      calls.servicesSeries({ path: { service_id }, query: { branch, kind }, signal }),
  });

/** Mutes a series, or all of a kind if `subject` is empty; or unmutes it. */
export const watchSeries = (service_id: string, kind: string, subject: string, muted: boolean) =>
  calls.muteRulesUpdate({
    path: { service_id },
    body: { kind: kind as SeriesKind, subject, is_muted: muted },
  });

export const buildVerdictQuery = (build_id: string) =>
  queryOptions({
    queryKey: ['regression', 'judgement', build_id],
    queryFn: ({ signal }) => calls.buildsVerdict({ path: { build_id }, signal }),
    retry: false,
  });

export const updateRegression = (regression_id: string, body: RegressionUpdate) =>
  calls.regressionsUpdate({ path: { regression_id }, body });
export const triage = (ids: string[], change: RegressionUpdate) =>
  calls.regressionsBulkUpdate({ body: { ids, change } });

/** Returns the requests of the page of a regression. */
export const regressionSnapshotRequests = (regression_id: string): string[] => [
  `/regressions/${regression_id}`,
  `/regressions/${regression_id}/series`,
  `/regressions/${regression_id}/events?limit=${PAGE}`,
];
