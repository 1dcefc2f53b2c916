/** The subject of a new bisect, as search parameters of its start page. */
import * as z from 'zod/mini';
import type { Subject } from './bisect-queries';

const id = z.catch(z.optional(z.uuid()), undefined);
export const readBisectSearch = z.object({
  regression: id,
  event: id,
  comparison: id,
  service: id,
});
type BisectSearch = z.infer<typeof readBisectSearch>;

export function bisectSearchOf(subject: Subject | null): BisectSearch {
  if (subject === null) return {};
  if ('regression_id' in subject) return { regression: subject.regression_id };
  if ('event_id' in subject) return { event: subject.event_id };
  if ('comparison_id' in subject) return { comparison: subject.comparison_id };
  return { service: subject.service_id };
}

export function bisectSubjectOf(search: BisectSearch): Subject | null {
  if (search.regression !== undefined) return { regression_id: search.regression };
  if (search.event !== undefined) return { event_id: search.event };
  if (search.comparison !== undefined) return { comparison_id: search.comparison };
  return search.service === undefined ? null : { service_id: search.service };
}
