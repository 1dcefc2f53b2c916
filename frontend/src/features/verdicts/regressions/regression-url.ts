/** The search parameters of the list of regressions. */
import * as z from 'zod/mini';
import { addressChoice, addressText, listSearch } from '../../../lib/list-search';

export const SHOWN = ['open', 'closed', 'mine', 'candidates'] as const;

export const readRegressionsSearch = z.object({
  ...listSearch,
  show: addressChoice(SHOWN),
  service: addressText,
});
export type RegressionsSearch = z.infer<typeof readRegressionsSearch>;
