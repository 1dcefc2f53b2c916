/** The URL parameters of stack growth: the order of its table. */
import * as z from 'zod/mini';
import type { Sort } from '../../../ui';

export const GROWTH_COLUMNS = ['caller', 'size', 'base', 'candidate', 'change'] as const;
export type GrowthView = { sort: Sort };

const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);
export const growthFields = {
  psort: field(z.enum(GROWTH_COLUMNS)),
  pasc: field(z.literal(true)),
};
type Search = { psort?: (typeof GROWTH_COLUMNS)[number]; pasc?: true };

export const growthViewOf = (search: Search): GrowthView => ({
  sort: { column: search.psort ?? 'change', descending: !search.pasc },
});

export const growthSearchOf = ({ sort }: GrowthView): Search => ({
  psort: sort.column === 'change' ? undefined : (sort.column as Search['psort']),
  pasc: sort.descending ? undefined : true,
});
