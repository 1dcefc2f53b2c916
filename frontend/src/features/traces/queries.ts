import { queryOptions } from '@tanstack/react-query';
import { openAddress, postJson, readBytes, readJson } from '../../api';
import { readTile } from '../../engine/trace-tile';
import { readTraces, type TraceCut } from './types';

/** What was decoded or compared never changes; it is kept as long as the page is. */
const kept = { staleTime: Infinity, gcTime: 10 * 60_000 } as const;
const at = encodeURIComponent;

export const tracesQuery = (comparisonId: string) =>
  queryOptions({
    queryKey: ['bytes', 'traces', comparisonId],
    queryFn: async ({ signal }) =>
      readTraces(await readJson(`/comparisons/${at(comparisonId)}/traces`, signal)),
    ...kept,
  });

export const traceQuery = (artifactId: string) =>
  queryOptions({
    queryKey: ['bytes', 'trace', artifactId],
    queryFn: async ({ signal }) => readTraces(await readJson(`/traces/${at(artifactId)}`, signal)),
    ...kept,
  });

export type TileKey = { artifact: string; index: number; level: number; number: number };

export const tileQuery = ({ artifact, index, level, number }: TileKey) =>
  queryOptions({
    queryKey: ['bytes', 'tile', artifact, index, level, number],
    queryFn: async ({ signal }) =>
      readTile(
        await readBytes(`/traces/${at(artifact)}/waits/${index}/tiles/${level}/${number}`, signal),
      ),
    ...kept,
  });

export const askForCut = (artifact: string, window: { from_ns: number; to_ns: number }) =>
  postJson(`/traces/${at(artifact)}/cuts`, window) as Promise<TraceCut>;

export const cutQuery = (cut: string) =>
  queryOptions({
    queryKey: ['trace-cut', cut],
    queryFn: async ({ signal }) => (await readJson(`/trace-cuts/${at(cut)}`, signal)) as TraceCut,
  });

export const cutAddress = (cut: string): string => openAddress(`/trace-cuts/${at(cut)}/content`);
