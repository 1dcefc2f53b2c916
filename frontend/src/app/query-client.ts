import type { QueryClient } from '@tanstack/react-query';
import { createRecordingClient, isTransient } from '../api';

/**
 * The only cache of server data. A request that failed for a transient reason (no response, 429 or
 * 5xx) is retried twice; others are not.
 */
export function createQueryClient(): QueryClient {
  return createRecordingClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && isTransient(error),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
}

export const queryClient = createQueryClient();
