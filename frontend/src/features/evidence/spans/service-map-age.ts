import { queryOptions } from '@tanstack/react-query';
import { asBytes, calls } from '../../../api';
import { readDashboard } from '../../../engine/dashboard/dashboard-file';
import { serviceMapValues } from '../../../engine/spans/service-map-values';

const SHOWN_MS = 3_600_000;
/** Values older than this many steps are not current. */
const LATELY = 20;

/**
 * Loads the current values of each service from the newest points of the dashboard. A map without
 * metrics has none.
 */
export const serviceMapValuesQuery = (environment_id: string) =>
  queryOptions({
    queryKey: ['environment', 'numbers', environment_id],
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const bytes = await calls.dashboardGet({
        query: { environment_id, from: String(now - SHOWN_MS), to: String(now) },
        signal,
        ...asBytes,
      });
      return serviceMapValues(readDashboard(bytes as unknown as ArrayBuffer), LATELY);
    },
    structuralSharing: false,
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
