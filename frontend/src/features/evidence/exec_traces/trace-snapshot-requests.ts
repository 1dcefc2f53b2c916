/** Requests for a snapshot of a comparison of traces: the timelines of its longest waits. */
import type { QueryClient } from '@tanstack/react-query';
import { tracesQuery } from './trace-queries';

export async function traceSnapshotRequests(
  client: QueryClient,
  comparison_id: string,
): Promise<string[]> {
  // Errors of this section are shown in place.
  const data = await client.query(tracesQuery(comparison_id)).catch(() => null);
  return (data?.worst ?? [])
    .filter((wait) => wait.has_detail)
    .map(({ artifact, index }) => `/execution-traces/${artifact}/waits/${index}/tiles/0/0`);
}
