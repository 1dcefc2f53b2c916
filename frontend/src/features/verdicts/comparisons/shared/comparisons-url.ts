/** The search parameters of the list of comparisons. */
import * as z from 'zod/mini';
import { addressChoice, listSearch } from '../../../../lib/list-search';

export const COMPARISON_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;

export const readComparisonsSearch = z.object({
  ...listSearch,
  state: addressChoice(COMPARISON_STATES),
});
export type ComparisonsSearch = z.infer<typeof readComparisonsSearch>;
