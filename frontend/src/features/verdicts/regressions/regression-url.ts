/** What a link to the list of regressions restores. */
import * as z from 'zod/mini';

export const SHOWN = ['all', 'open', 'closed', 'mine', 'candidates'] as const;
export type Shown = (typeof SHOWN)[number];

const text = z.catch(z.optional(z.string().check(z.maxLength(200))), undefined);

export const readRegressionsSearch = z.object({
  q: text,
  show: z.catch(z.optional(z.enum(SHOWN)), undefined),
  service: text,
});
export type RegressionsSearch = z.infer<typeof readRegressionsSearch>;
