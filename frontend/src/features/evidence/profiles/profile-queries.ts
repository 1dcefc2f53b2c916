import { queryOptions } from '@tanstack/react-query';
import {
  asBytes,
  calls,
  openUrl,
  type Granularity,
  type LabelMatcher,
  type ProfileExportFormat,
  type ProfileSet,
  type ProfileView,
  type ProfileViewIn,
} from '../../../api';

/** The parameters of a view of a set, computed or not. */
export type WantedView = {
  kind: string;
  sampleType: string;
  granularity: Granularity;
  labels: LabelMatcher[];
};

/** The IDs of a computed view. */
export type ViewKey = { set_id: string; profile_view_id: string };

/** Sets and views take less than a second, so their state is polled often. */
export const POLL_MS = 300;

export const isUnderWay = ({ state }: { state: ProfileSet['state'] | ProfileView['state'] }) =>
  state === 'waiting' || state === 'running';

/** Returns whether the largest nodes, functions and summary exist: once the nodes are counted. */
export const isReadable = ({ nodes }: ProfileView): boolean => nodes !== null;

export const openProfileSet = (artifact_ids: string[]) =>
  calls.profileSetsCreate({ body: { artifact_ids } });

/** Loads the set of these artifacts; the server creates it unless it exists. */
export const setOfArtifactsQuery = (artifact_ids: string[]) =>
  queryOptions({
    queryKey: ['profile_set_of', artifact_ids],
    queryFn: () => openProfileSet(artifact_ids),
    staleTime: Infinity,
  });

export const profileSetQuery = (set_id: string) =>
  queryOptions({
    queryKey: ['profile_set', 'one', set_id],
    queryFn: ({ signal }) => calls.profileSetsGet({ path: { set_id }, signal }),
  });

/** Requests the computation of a view. The server returns an existing view unchanged. */
export const requestedViewQuery = (set_id: string, wanted: WantedView) => {
  const body: ProfileViewIn = {
    kind: wanted.kind,
    sample_type: wanted.sampleType,
    granularity: wanted.granularity,
    labels: wanted.labels,
  };
  return queryOptions({
    queryKey: ['profile_view_requested', set_id, body],
    queryFn: () => calls.profileViewsCreate({ path: { set_id }, body }),
    staleTime: Infinity,
    retry: false,
  });
};

export const profileViewQuery = (path: ViewKey) =>
  queryOptions({
    queryKey: ['profile_set', 'view', path],
    queryFn: ({ signal }) => calls.profileViewsGet({ path, signal }),
  });

/** A computed view never changes. */
const cached = { staleTime: Infinity, gcTime: 10 * 60_000 } as const;

export const summaryQuery = (path: ViewKey) =>
  queryOptions({
    queryKey: ['profile_view_summary', path],
    queryFn: ({ signal }) => calls.profileViewsSummary({ path, signal }),
    ...cached,
  });

/** Loads a part of a view as a column file. */
export const viewPartQuery = (path: ViewKey, part: 'first' | 'rest' | 'functions') =>
  queryOptions({
    queryKey: ['bytes', path, part],
    queryFn: async ({ signal }) =>
      (await calls.profileViewsChunk({
        path: { ...path, part },
        signal,
        ...asBytes,
      })) as unknown as ArrayBuffer,
    ...cached,
  });

/** Loads frames that no part contains. A snapshot saves it with the first part. */
export const subtreeQuery = (path: ViewKey, node_id: number) =>
  queryOptions({
    queryKey: ['bytes', path, 'subtree', node_id],
    queryFn: async ({ signal }) =>
      (await calls.profileViewsSubtree({
        path: { ...path, node_id },
        signal,
        ...asBytes,
      })) as unknown as ArrayBuffer,
    meta: { beside: viewPartQuery(path, 'first').queryKey },
    ...cached,
  });

export const linesQuery = (path: ViewKey, functionName: string) =>
  queryOptions({
    queryKey: ['bytes', path, 'lines', functionName],
    queryFn: ({ signal }) =>
      calls.profileViewsLines({ path, query: { function: functionName }, signal }),
    ...cached,
  });

type ProfileExportWords = {
  format: ProfileExportFormat;
  kind: string;
  sample_type: string;
  labels: LabelMatcher[];
};

export const createProfileExport = (set_id: string, body: ProfileExportWords) =>
  calls.profileExportsCreate({ path: { set_id }, body });

export const readProfileExport = (set_id: string, profile_export_id: string, signal: AbortSignal) =>
  calls.profileExportsGet({ path: { set_id, profile_export_id }, signal });

export const profileExportAddress = (set_id: string, id: string) =>
  openUrl(`/profile-sets/${set_id}/exports/${id}/content`);
