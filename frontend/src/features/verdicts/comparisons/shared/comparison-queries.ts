import { queryOptions } from '@tanstack/react-query';
import {
  asBytes,
  calls,
  openUrl,
  type ExportFormat,
  type Granularity,
  type ViewDescription,
} from '../../../../api';
import { pagedList } from '../../../../ui';
import type { ComparisonsSearch } from './comparisons-url';

export const isUnderWay = ({ state }: { state: ViewDescription['state'] }): boolean =>
  state === 'waiting' || state === 'running';

/**
 * Whether a view can be read: its largest nodes and functions are available once the nodes are
 * counted.
 */
export const isReadable = ({ state, nodes }: ViewDescription): boolean =>
  state === 'done' || (state === 'running' && nodes !== null);

export const comparisonsQuery = ({ q, state }: ComparisonsSearch) =>
  pagedList(['comparison', 'list', { q, state }], (cursor, signal) =>
    calls.comparisonsList({
      query: { search: q, state: state ? [state] : undefined, cursor, limit: 100 },
      signal,
    }),
  );

export const comparisonQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['comparison', 'one', comparison_id],
    queryFn: async ({ signal }) => calls.comparisonsGet({ path: { comparison_id }, signal }),
  });

const ABSENCE_POLL_MS = 3000;

/** The numbers of a finished view never change, so they are never refetched. */
const cachedView = { staleTime: Infinity, gcTime: 10 * 60_000 } as const;

type ViewKey = { comparison_id: string; view_id: string };

/** A part of a view as a column file; the buffer is empty if the view has one chunk only. */
export const viewPartQuery = (view: ViewKey, part: 'first' | 'rest' | 'functions') =>
  queryOptions({
    queryKey: ['bytes', view, part],
    queryFn: async ({ signal }) =>
      (await calls.diffViewsChunk({
        path: { ...view, part },
        signal,
        ...asBytes,
      })) as unknown as ArrayBuffer,
    ...cachedView,
  });

export const linesQuery = (view: ViewKey, functionName: string) =>
  queryOptions({
    queryKey: ['bytes', view, 'lines', functionName],
    queryFn: ({ signal }) =>
      calls.diffViewsLines({ path: view, query: { function: functionName }, signal }),
    ...cachedView,
  });

/**
 * The source text of a function at the commits of both sides. Not cached like a view, because a
 * mirror may be fetched later.
 */
export const sourceQuery = (view: ViewKey, functionName: string) =>
  queryOptions({
    queryKey: ['bytes', view, 'source', functionName],
    queryFn: ({ signal }) =>
      calls.diffViewsSource({ path: view, query: { function: functionName }, signal }),
    retry: false,
  });

/** The service and the commits of both sides. */
export const comparedCommitsQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['comparison', 'one', comparison_id, 'commits'],
    queryFn: ({ signal }) => calls.comparisonsCommits({ path: { comparison_id }, signal }),
  });

/**
 * The different decisions of the compiler in the commits of both sides. A report may be sent later.
 */
export const compilerReasonsQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['comparison', 'one', comparison_id, 'compiler-reasons'],
    queryFn: ({ signal }) =>
      calls.comparisonsListCompilerReasons({ path: { comparison_id }, signal }),
    retry: false,
  });

/** Why the comparison has no compiler section. Polled while an executable is being decoded. */
export const compilerAbsenceQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['comparison', 'one', comparison_id, 'compiler-absence'],
    queryFn: ({ signal }) =>
      calls.comparisonsGetCompilerAbsence({ path: { comparison_id }, signal }),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.is_changing ? ABSENCE_POLL_MS : false),
  });

export const searchQuery = (
  view: ViewKey,
  search: { pattern: string; regex: boolean; case: boolean },
) =>
  queryOptions({
    queryKey: ['bytes', view, 'search', search],
    queryFn: ({ signal }) => calls.diffViewsSearch({ path: view, query: search, signal }),
    retry: false,
    ...cachedView,
  });

/**
 * The frames below a node that no chunk has. A snapshot includes them if the first part of the view
 * is shown.
 */
export const subtreeQuery = (view: ViewKey, node_id: number) =>
  queryOptions({
    queryKey: ['bytes', view, 'subtree', node_id],
    queryFn: async ({ signal }) =>
      (await calls.diffViewsSubtree({
        path: { ...view, node_id },
        signal,
        ...asBytes,
      })) as unknown as ArrayBuffer,
    meta: { beside: viewPartQuery(view, 'first').queryKey },
    ...cachedView,
  });

type NewSide = { artifact_ids: string[]; label: string };

export const createComparison = ({ base, candidate }: { base: NewSide; candidate: NewSide }) => {
  const side = ({ artifact_ids, label }: NewSide) => ({ artifact_ids, label: label || null });
  return calls.comparisonsCreate({ body: { base: side(base), candidate: side(candidate) } });
};
export const swapSides = (comparison_id: string) =>
  calls.comparisonsSwap({ path: { comparison_id } });
export const retryComparison = (comparison_id: string) =>
  calls.comparisonsRetry({ path: { comparison_id } });
export const renameComparison = (
  comparison_id: string,
  body: { name: string; base_label: string; candidate_label: string },
) => calls.comparisonsUpdate({ path: { comparison_id }, body });
export const assignComparison = (comparison_id: string, assignee_id: string | null) =>
  calls.comparisonsUpdate({ path: { comparison_id }, body: { assignee_id } });
export const deleteComparison = (comparison_id: string) =>
  calls.comparisonsDelete({ path: { comparison_id } });
export const requestView = (
  comparison_id: string,
  body: { kind: string; sample_type: string; granularity: Granularity },
) => calls.diffViewsCreate({ path: { comparison_id }, body });

export const createExport = (comparison_id: string, format: ExportFormat, kind: string | null) =>
  calls.exportsCreate({ path: { comparison_id }, body: { format, kind } });
export const readExport = (export_id: string, signal: AbortSignal) =>
  calls.exportsGet({ path: { export_id }, signal });
export const exportAddress = (id: string) => openUrl(`/exports/${id}/content`);
