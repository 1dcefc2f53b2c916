import { QueryClient } from '@tanstack/react-query';
import { passing } from '../api';

/** Server data lives here only. What may pass (no answer, 5xx) is tried twice more; what was refused is not. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && passing(error),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
}

export const queryClient = createQueryClient();
