import { queryOptions } from '@tanstack/react-query';
import {
  asBytes,
  calls,
  openUrl,
  readReportBundle,
  type Report,
  type ShareLinkWords,
  type ShareSettingsUpdate,
} from '../../../api';
import { pagedList } from '../../../ui';
import type { BlockFields, RecordedReport, Scrub } from './report-types';

export const reportsQuery = (search?: string) =>
  pagedList(['report', 'list', search], (cursor, signal) =>
    calls.reportsList({ query: { search, cursor, limit: 100 }, signal }),
  );

export const reportQuery = (report_id: string, version?: number) =>
  queryOptions({
    queryKey: ['report', 'one', report_id, version ?? 'draft'],
    queryFn: ({ signal }) => calls.reportsGet({ path: { report_id }, query: { version }, signal }),
  });

export const versionsQuery = (report_id: string) =>
  queryOptions({
    queryKey: ['report', 'versions', report_id],
    queryFn: ({ signal }) => calls.reportsVersions({ path: { report_id }, signal }),
  });

const read = (bytes: unknown) => readReportBundle<RecordedReport>(bytes as ArrayBuffer);

/**
 * A report bundle is large and never changes: it is removed from the cache soon after use, and not
 * compared.
 */
const whole = { staleTime: Infinity, gcTime: 60_000, structuralSharing: false } as const;

/**
 * The responses of a report's snapshots. The sorted ids are in the key: other snapshots are another
 * bundle, another order is not.
 */
export const reportBundleQuery = (report: Report, version?: number) => {
  const views = report.blocks.flatMap(({ kind, id }) => (kind === 'snapshot' ? [id] : [])).sort();
  return queryOptions({
    queryKey: ['recording', report.id, version ?? 'draft', views],
    queryFn: async ({ signal }) =>
      read(
        await calls.reportsBundle({
          path: { report_id: report.id },
          query: { version },
          signal,
          ...asBytes,
        }),
      ),
    ...whole,
  });
};

export const previewQuery = (report_id: string, scrub: Scrub, version?: number) =>
  queryOptions({
    queryKey: ['recording', report_id, 'preview', scrub, version ?? 'draft'],
    queryFn: async ({ signal }) =>
      read(
        await calls.reportsPreview({
          path: { report_id },
          query: { ...scrub, version },
          signal,
          ...asBytes,
        }),
      ),
    ...whole,
    staleTime: 0,
  });

export const scrubbedQuery = (report_id: string, scrub: Scrub, version?: number) =>
  queryOptions({
    queryKey: ['report', 'scrubbed', report_id, scrub, version ?? 'draft'],
    queryFn: ({ signal }) =>
      calls.reportsScrubSummary({ path: { report_id }, query: { ...scrub, version }, signal }),
  });

/** The report of a share link. It is requested only once, because each request counts as a view. */
export const sharedQuery = (secret: string) =>
  queryOptions({
    queryKey: ['shared', secret],
    queryFn: async ({ signal }) =>
      read(await calls.sharedGet({ path: { secret }, signal, ...asBytes })),
    ...whole,
    retry: false,
    refetchOnWindowFocus: false,
  });

export const linksQuery = (report_id: string) =>
  queryOptions({
    queryKey: ['report', 'links', report_id],
    queryFn: ({ signal }) => calls.shareLinksList({ path: { report_id }, signal }),
  });

export const sharingQuery = queryOptions({
  queryKey: ['sharing'],
  queryFn: ({ signal }) => calls.shareSettingsGet({ signal }),
});

export const createReport = (title: string) => calls.reportsCreate({ body: { title } });
export const updateReport = (
  report_id: string,
  body: { title?: string; blocks?: BlockFields[]; updated_at: string },
) => calls.reportsUpdate({ path: { report_id }, body });
export const deleteReport = (report_id: string) => calls.reportsDelete({ path: { report_id } });
export const publishReport = (report_id: string) => calls.reportsPublish({ path: { report_id } });
export const createLink = (report_id: string, body: ShareLinkWords) =>
  calls.shareLinksCreate({ path: { report_id }, body });
export const revokeLink = (report_id: string, share_link_id: string) =>
  calls.shareLinksRevoke({ path: { report_id, share_link_id } });
export const updateSharing = (body: ShareSettingsUpdate) => calls.shareSettingsUpdate({ body });

export const exportAddress = (report_id: string, scrub: Scrub, version?: number) =>
  openUrl(`/reports/${report_id}/export.html`, { ...scrub, version });
export const sharedExportAddress = (secret: string) =>
  openUrl(`/shared/${encodeURIComponent(secret)}/export.html`);
