import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { asBytes, calls } from '../../api';
import { readBoard, type Board } from '../../engine/board-file';
import { RANGE_MS, type BoardView, type RangeId } from './url';

/** How often a board that goes on is asked for again: about as often as it has a new point. */
export const LIVE_MS: Record<RangeId, number> = {
  '1h': 15_000,
  '4h': 15_000,
  '24h': 60_000,
  '7d': 300_000,
};

type Wanted = Pick<BoardView, 'environment' | 'range' | 'against' | 'instances'>;

// How far the server's clock is ahead of this one: "the last hour" is the server's.
let aheadMs = 0;
const SKEW_OF_NOTE_MS = 5_000;

function heardClock(board: Board): Board {
  const ahead = board.nowMs === 0 ? 0 : board.nowMs - Date.now();
  aheadMs = Math.abs(ahead) > SKEW_OF_NOTE_MS ? ahead : 0;
  return board;
}

export const boardQuery = ({ environment, range, against, instances }: Wanted) =>
  queryOptions({
    queryKey: ['board', { environment, range, against, instances }],
    queryFn: async ({ signal }) => {
      const now = Date.now() + aheadMs;
      const [from, to] =
        typeof range === 'string' ? [now - RANGE_MS[range], now] : [range.fromMs, range.toMs];
      const bytes = await calls.boardGet({
        query: {
          environment_id: environment || undefined,
          from: String(Math.round(from)),
          to: String(Math.round(to)),
          against,
          instances,
        },
        signal,
        ...asBytes,
      });
      return heardClock(readBoard(bytes as unknown as ArrayBuffer));
    },
    placeholderData: keepPreviousData,
    // Columns are compared by nobody; what is new is new.
    structuralSharing: false,
    staleTime: 10_000,
  });

export const keepOrder = (environment_id: string, service_ids: string[]) =>
  calls.environmentsLayOrder({ path: { environment_id }, body: { service_ids } });
export const forgetOrder = (environment_id: string) =>
  calls.environmentsForgetOrder({ path: { environment_id } });

export const deployQuery = (deploy_id: string) =>
  queryOptions({
    queryKey: ['deploy', 'one', deploy_id],
    queryFn: ({ signal }) => calls.deploysGet({ path: { deploy_id }, signal }),
  });

export const deploysOfQuery = (service_id: string, environment_id: string) =>
  queryOptions({
    queryKey: ['deploy', 'list', service_id, environment_id],
    queryFn: ({ signal }) =>
      calls.deploysList({ query: { service_id, environment_id, limit: 200 }, signal }),
  });

export type NoteWords = {
  service_id: string | null;
  at: string;
  until: string | null;
  text: string;
};
export const createNote = (environment_id: string, words: NoteWords) =>
  calls.annotationsCreate({ body: { environment_id, ...words } });
export const changeNote = (annotation_id: string, { at, until, text }: NoteWords) =>
  calls.annotationsChange({ path: { annotation_id }, body: { at, until, text } });
export const deleteNote = (annotation_id: string) =>
  calls.annotationsDelete({ path: { annotation_id } });

/** A token that may only send. */
export const createUploadToken = (team_id: string) =>
  calls.tokensCreate({
    path: { team_id },
    body: { name: 'metrics', scopes: ['upload'], expires_in_days: null },
  });
