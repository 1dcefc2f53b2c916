import { queryOptions } from '@tanstack/react-query';
import { calls, type MetricRuleWords } from '../../../api';

export const metricNamesQuery = queryOptions({
  queryKey: ['metrics', 'classified'],
  queryFn: ({ signal }) => calls.metricsNames({ signal }),
});

export const rulesQuery = queryOptions({
  queryKey: ['metrics', 'rules'],
  queryFn: ({ signal }) => calls.metricRulesList({ query: { limit: 200 }, signal }),
});

export const metricSettingsQuery = queryOptions({
  queryKey: ['metrics', 'settings'],
  queryFn: ({ signal }) => calls.metricSettingsGet({ signal }),
  staleTime: 60_000,
});

export const createRule = (body: MetricRuleWords) => calls.metricRulesCreate({ body });
export const deleteRule = (rule_id: string) => calls.metricRulesDelete({ path: { rule_id } });
export const updateRetention = (retention_days: number) =>
  calls.metricSettingsUpdate({ body: { retention_days } });
