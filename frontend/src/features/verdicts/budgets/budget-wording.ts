/** Texts of budgets. */
import type { Budget, BudgetEvaluation } from '../../../api';
import { formatValue } from '../../../engine/format/format';
import type { Glyph } from '../../../ui';

export const SIGNALS = [
  { value: 'p99', label: 'p99 latency' },
  { value: 'p90', label: 'p90 latency' },
  { value: 'p50', label: 'p50 latency' },
  { value: 'cpu', label: 'CPU per request' },
] as const;

export const STATES: Record<BudgetEvaluation['state'], [Glyph, string]> = {
  exceeded: ['more', 'Exceeded'],
  within: ['done', 'Within budget'],
  inconclusive: ['unsure', 'Inconclusive'],
};

const NS_PER_S = 1e9;
const PERCENT_DIGITS = 3;

export const signalText = ({ signal }: Budget): string =>
  SIGNALS.find(({ value }) => value === signal)?.label ?? signal;

const percentText = (share: number): string => {
  const percent = Number((share * 100).toPrecision(PERCENT_DIGITS));
  return `${percent > 0 ? '+' : ''}${percent}%`;
};

/** Formats a value in the unit of the limit: "300 ms", "+5%". */
export const valueText = ({ limit }: Pick<Budget, 'limit'>, value: number): string =>
  limit.type === 'absolute' ? formatValue(value * NS_PER_S, 'ns') : percentText(value);

export const limitText = (budget: Pick<Budget, 'limit'>): string =>
  budget.limit.type === 'absolute'
    ? `at most ${valueText(budget, budget.limit.seconds)}`
    : `at most ${percentText(budget.limit.increase)} per release`;

/**
 * Formats what the budget applies to: "production, /api/push", "each environment", "newest build".
 */
export function placeText(
  { signal, environment_id, route }: Budget,
  names: ReadonlyMap<string, string>,
): string {
  if (signal === 'cpu') return 'newest build';
  const environment =
    environment_id === null ? 'each environment' : (names.get(environment_id) ?? 'environment');
  return [environment, route].filter(Boolean).join(', ');
}

export const budgetName = (budget: Budget): string => `${signalText(budget)} ${limitText(budget)}`;
