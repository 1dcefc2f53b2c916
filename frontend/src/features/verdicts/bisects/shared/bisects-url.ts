/** The search parameters of the list of bisects. */
import * as z from 'zod/mini';
import { addressChoice, addressText, listSearch } from '../../../../lib/list-search';

export const BISECT_STATES = [
  'open',
  'planned',
  'waiting-approval',
  'searching',
  'paused',
  'found',
  'not-in-range',
  'not-separable',
  'stopped',
  'cancelled',
  'failed',
] as const;

export const readBisectsSearch = z.object({
  ...listSearch,
  state: addressChoice(BISECT_STATES),
  service: addressText,
});
export type BisectsSearch = z.infer<typeof readBisectsSearch>;
