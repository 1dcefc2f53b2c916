import { queryOptions } from '@tanstack/react-query';
import { asBytes, calls, openAddress } from '../../api';
import { readTile } from '../../engine/trace-tile';
import { readTrace, readTraces } from './types';

/** What was decoded or compared never changes; it is kept as long as the page is. */
const kept = { staleTime: Infinity, gcTime: 10 * 60_000 } as const;

export const tracesQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'traces', comparison_id],
    queryFn: async ({ signal }) =>
      readTraces(await calls.comparisonsPart({ path: { comparison_id, part: 'traces' }, signal })),
    ...kept,
  });

export const traceQuery = (artifact_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'trace', artifact_id],
    queryFn: async ({ signal }) =>
      readTrace(await calls.tracesGet({ path: { artifact_id }, signal }), artifact_id),
    ...kept,
  });

export type TileKey = { artifact: string; index: number; level: number; number: number };

export const tileQuery = ({ artifact, index, level, number }: TileKey) =>
  queryOptions({
    queryKey: ['bytes', 'tile', artifact, index, level, number],
    queryFn: async ({ signal }) => {
      const path = { artifact_id: artifact, index, level, number };
      const bytes = await calls.tracesTile({ path, signal, ...asBytes });
      return readTile(bytes as unknown as ArrayBuffer);
    },
    ...kept,
  });

export const askForCut = (artifact_id: string, window: { from_ns: number; to_ns: number }) =>
  calls.tracesAskCut({ path: { artifact_id }, body: window });

export const cutQuery = (cut_id: string) =>
  queryOptions({
    queryKey: ['trace-cut', cut_id],
    queryFn: ({ signal }) => calls.tracesGetCut({ path: { cut_id }, signal }),
  });

export const cutAddress = (cut: string): string => openAddress(`/trace-cuts/${cut}/content`);
