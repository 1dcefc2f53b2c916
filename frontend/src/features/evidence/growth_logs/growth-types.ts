/** Types of the document of stack-growth logs, and of the sets of a team. */
import type { GrowthPage, GrowthSetOut, GrowthSetRow } from '../../../api';
import { requireFormat } from '../../../lib/document-format';

export type { GrowthRow } from '../../../api';

/** A row of the table of sets; outside of a comparison it has no side. */
export type GrowthSet = Omit<GrowthSetRow, 'side'> & { side: string | null };

export const withoutSide = (set: GrowthSetOut): GrowthSet => ({ ...set, side: null });

/** @throws Error with a readable message when the response has another format. */
export const readGrowth = (response: unknown): GrowthPage =>
  requireFormat<GrowthPage>(response, 'slowpath.growth-comparison/2', 'growth logs');
