import type { QueryClient } from '@tanstack/react-query';
import { createRecordingClient, isTransient } from '../api';

/** Server data lives here only. What may pass (no answer, 5xx) is tried twice more; what was refused is not. */
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
