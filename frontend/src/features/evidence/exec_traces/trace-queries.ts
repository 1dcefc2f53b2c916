import { queryOptions } from '@tanstack/react-query';
import { Problem, asBytes, calls, openUrl, type Artifact } from '../../../api';
import { readTile } from '../../../engine/timeline/timeline-tile';
import { readTrace, readTraces } from './trace-types';

/** Decoded and compared traces never change; they are cached for 10 minutes after use. */
const kept = { staleTime: Infinity, gcTime: 10 * 60_000 } as const;

export const tracesQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'traces', comparison_id],
    queryFn: async ({ signal }) =>
      readTraces(
        await calls.comparisonsResult({ path: { comparison_id, part: 'traces' }, signal }),
      ),
    ...kept,
  });

export const traceQuery = (artifact_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'trace', artifact_id],
    queryFn: async ({ signal }) =>
      readTrace(await calls.executionTracesGet({ path: { artifact_id }, signal }), artifact_id),
    ...kept,
  });

export type GoroutineProfiles = {
  /** The number of traces whose build was requested. */
  traces: number;
  builds: string[];
  /** Newest first. */
  profiles: Artifact[];
};

/** The most traces whose build is requested (the first), and the most profiles (the newest). */
const MAX_POLLS = 12;
const PROFILES_MOST = 40;

/** Loads the goroutine profiles of the builds of these traces. */
export const goroutineProfilesQuery = (traces: string[]) =>
  queryOptions({
    queryKey: ['artifact', 'goroutines of builds', traces],
    queryFn: async ({ signal }): Promise<GoroutineProfiles> => {
      const asked = traces.slice(0, MAX_POLLS);
      const found = await Promise.all(asked.map((id) => buildOf(id, signal)));
      const builds = [...new Set(found.filter((build) => build !== null))];
      const pages = await Promise.all(
        builds.map((build_id) =>
          calls.artifactsList({
            query: {
              build_id,
              kind: 'profile.goroutine',
              state: ['decoded'],
              limit: PROFILES_MOST,
            },
            signal,
          }),
        ),
      );
      const profiles = pages.flatMap(({ items }) => items).slice(0, PROFILES_MOST);
      return { traces: asked.length, builds, profiles };
    },
  });

/** Returns the build of a trace; null without one or if the trace was deleted meanwhile. */
async function buildOf(artifact_id: string, signal: AbortSignal): Promise<string | null> {
  try {
    return (await calls.artifactsGet({ path: { artifact_id }, signal })).build_id;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

type TileKey = { artifact: string; index: number; level: number; number: number };

export const tileQuery = ({ artifact, index, level, number }: TileKey) =>
  queryOptions({
    queryKey: ['bytes', 'tile', artifact, index, level, number],
    queryFn: async ({ signal }) => {
      const path = { artifact_id: artifact, index, level, number };
      const bytes = await calls.executionTracesTile({ path, signal, ...asBytes });
      return readTile(bytes as unknown as ArrayBuffer);
    },
    ...kept,
  });

export const requestExcerpt = (artifact_id: string, window: { from_ns: number; to_ns: number }) =>
  calls.traceExcerptsCreate({ path: { artifact_id }, body: window });

export const excerptQuery = (excerpt_id: string) =>
  queryOptions({
    queryKey: ['trace_excerpt', excerpt_id],
    queryFn: ({ signal }) => calls.traceExcerptsGet({ path: { excerpt_id }, signal }),
  });

export const excerptUrl = (cut: string): string => openUrl(`/trace-excerpts/${cut}/content`);
