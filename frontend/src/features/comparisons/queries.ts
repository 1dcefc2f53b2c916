import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { http, openAddress, type Comparison, type Export, type ExportFormat, type Page } from '../../api';

export const isUnderWay = (comparison: Pick<Comparison, 'state'>): boolean =>
  comparison.state === 'waiting' || comparison.state === 'running';

export const comparisonsQuery = (wanted: { name?: string; verdict?: string }) =>
  infiniteQueryOptions({
    queryKey: ['comparison', 'list', wanted],
    queryFn: ({ pageParam, signal }) =>
      http.get<Page<Comparison>>('/comparisons', { query: { ...wanted, cursor: pageParam, limit: 50 }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const comparisonQuery = (id: string) =>
  queryOptions({
    queryKey: ['comparison', 'one', id],
    queryFn: ({ signal }) => http.get<Comparison>(`/comparisons/${id}`, { signal }),
  });

/** Bulk numbers of a finished view never change; they are kept as long as the page is. */
const kept = { staleTime: Infinity, gcTime: 10 * 60_000 } as const;

export const viewPartQuery = (comparisonId: string, viewId: string, part: 'first' | 'rest' | 'functions') =>
  queryOptions({
    queryKey: ['view', comparisonId, viewId, part],
    queryFn: ({ signal }) => http.bytes(`/comparisons/${comparisonId}/views/${viewId}/${part}`, { signal }),
    ...kept,
  });

export const linesQuery = (comparisonId: string, viewId: string, functionName: string) =>
  queryOptions({
    queryKey: ['view', comparisonId, viewId, 'lines', functionName],
    queryFn: ({ signal }) =>
      http.bytes(`/comparisons/${comparisonId}/views/${viewId}/lines`, { query: { function: functionName }, signal }),
    ...kept,
  });

export type FoundTotals = { nodes: number; functions: number; base_raw: number; candidate_raw: number };

export const searchQuery = (comparisonId: string, viewId: string, search: { pattern: string; regex: boolean; case: boolean }) =>
  queryOptions({
    queryKey: ['view', comparisonId, viewId, 'search', search],
    queryFn: ({ signal }) =>
      http.get<FoundTotals>(`/comparisons/${comparisonId}/views/${viewId}/search`, { query: search, signal }),
    retry: false,
    ...kept,
  });

export const loadSubtree = (comparisonId: string, viewId: string, nodeId: number) =>
  http.bytes(`/comparisons/${comparisonId}/views/${viewId}/subtree`, { query: { node_id: nodeId } });

export type NewSide = { artifact_ids: string[]; label?: string };
export const createComparison = (sent: { base: NewSide; candidate: NewSide; name?: string }) =>
  http.post<Comparison>('/comparisons', sent);
export const swapSides = (id: string) => http.post<Comparison>(`/comparisons/${id}/swap`);
export const renameComparison = (id: string, name: string) => http.patch<Comparison>(`/comparisons/${id}`, { name });
export const deleteComparison = (id: string) => http.delete(`/comparisons/${id}`);
export const computeView = (id: string, wanted: { kind: string; sample_type: string; granularity: string }) =>
  http.post<unknown>(`/comparisons/${id}/views`, wanted);

export const createExport = (id: string, format: ExportFormat, kind: string | null) =>
  http.post<Export>(`/comparisons/${id}/exports`, kind ? { format, kind } : { format });
export const exportQuery = (id: string) =>
  queryOptions({ queryKey: ['export', id], queryFn: ({ signal }) => http.get<Export>(`/exports/${id}`, { signal }) });
export const exportAddress = (id: string) => openAddress(`/exports/${id}/content`);
