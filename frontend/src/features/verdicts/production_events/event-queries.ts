/** Query of one production event with its evidence. */
import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';

export const productionEventQuery = (event_id: string) =>
  queryOptions({
    queryKey: ['production-event', 'one', event_id],
    queryFn: ({ signal }) => calls.productionEventsGet({ path: { event_id }, signal }),
  });

export const compareEvent = (event_id: string) =>
  calls.productionEventsCompare({ path: { event_id } });
