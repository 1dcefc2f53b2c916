import { queryOptions } from '@tanstack/react-query';
import { asBytes, calls } from '../../api';
import { readBoard } from '../../engine/board-file';
import { mapNumbers } from '../../engine/map-numbers';

const SHOWN_MS = 3_600_000;
/** Older than so many of the hour's steps is no "now". */
const LATELY = 20;

/** What each service does now, as the board's newest cells say. A map without metrics has none. */
export const mapNumbersQuery = (environment_id: string) =>
  queryOptions({
    queryKey: ['environment', 'numbers', environment_id],
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const bytes = await calls.boardGet({
        query: { environment_id, from: String(now - SHOWN_MS), to: String(now) },
        signal,
        ...asBytes,
      });
      return mapNumbers(readBoard(bytes as unknown as ArrayBuffer), LATELY);
    },
    structuralSharing: false,
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
