/** What can be opened in a comparison of traces, as requests: the timelines of its longest waits. */
import type { QueryClient } from '@tanstack/react-query';
import { tracesQuery } from './queries';

export async function behindTraces(client: QueryClient, comparison_id: string): Promise<string[]> {
  // Whatever is wrong with this part is told where it stands.
  const told = await client.query(tracesQuery(comparison_id)).catch(() => null);
  return (told?.worst ?? [])
    .filter((wait) => wait.has_detail)
    .map(({ artifact, index }) => `/traces/${artifact}/waits/${index}/tiles/0/0`);
}
