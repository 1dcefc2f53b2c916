/** Limits to draw on the series over the builds of a service. */
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Budget, BuildSeries } from '../../../api';
import { budgetsQuery, environmentNamesQuery } from './budget-queries';
import { valueText } from './budget-wording';

const UNITS_PER_SECOND: Record<string, number> = { ns: 1e9, 'us/request': 1e6 };

type NamedEnvironment = { id: string; slug: string };

/** Whether a budget limits what a series measures: CPU in total, or a quantile in an environment. */
export function isOfSeries(
  { signal, environment_id, route }: Budget,
  { kind, subject }: Pick<BuildSeries, 'kind' | 'subject'>,
  environments: readonly NamedEnvironment[],
): boolean {
  if (signal === 'cpu') return kind === 'profile.category' && subject === 'total' && route === null;
  if (kind !== 'latency') return false;
  return environments
    .filter(({ id }) => environment_id === null || id === environment_id)
    .some(({ slug }) => subject === [slug, route, signal].filter(Boolean).join(' '));
}

/** Returns the limits of a series in its unit, by the budgets of the service. */
export function useSeriesLimits(serviceId: string) {
  const budgets = useQuery(budgetsQuery(serviceId)).data?.items;
  const environments = useQuery(environmentNamesQuery).data?.items;
  return useCallback(
    (series: Pick<BuildSeries, 'kind' | 'subject' | 'unit'>) => {
      const factor = UNITS_PER_SECOND[series.unit];
      if (!budgets || factor === undefined) return [];
      return budgets.flatMap((budget) =>
        budget.limit.type === 'absolute' && isOfSeries(budget, series, environments ?? [])
          ? [
              {
                value: budget.limit.seconds * factor,
                label: `budget ${valueText(budget, budget.limit.seconds)}`,
              },
            ]
          : [],
      );
    },
    [budgets, environments],
  );
}
