/** Queries of budgets with their newest evaluations. */
import { queryOptions } from '@tanstack/react-query';
import { calls, type Budget, type BudgetWords } from '../../../api';

/** Budgets are evaluated every 15 minutes, a new budget within seconds. */
const REFETCH_MS = 20_000;

export const budgetsQuery = (service_id: string) =>
  queryOptions({
    queryKey: ['budget', 'service', service_id],
    queryFn: ({ signal }) => calls.budgetsList({ query: { service_id }, signal }),
    refetchInterval: REFETCH_MS,
  });

export const environmentNamesQuery = queryOptions({
  queryKey: ['environment', 'names'],
  queryFn: ({ signal }) => calls.environmentsList({ query: { limit: 200 }, signal }),
  staleTime: 60_000,
});

export const createBudget = (body: BudgetWords) => calls.budgetsCreate({ body });
export const updateBudget = (budget_id: string, limit: Budget['limit']) =>
  calls.budgetsUpdate({ path: { budget_id }, body: { limit } });
export const deleteBudget = (budget_id: string) => calls.budgetsDelete({ path: { budget_id } });
