/** Creates a whole report: text, the current page, and pages that are given by their requests. */
import type { QueryClient } from '@tanstack/react-query';
import { calls } from '../../../api';
import { snapshotRequestsOf, createSnapshot, waitUntilLoaded } from './create-snapshot';
import { updateReport, createReport, deleteReport } from './report-queries';

const TITLE_MOST = 200;
/**
 * The maximum number of required requests of a snapshot; further ones are recorded while there is
 * room.
 */
const MOST_AT_ONCE = 64;

type CreatedReport = {
  title: string;
  /** Markdown. */
  prose: string;
  /** The current page. */
  page: { title: string; path: string };
  /** Pages that are not open, with all their requests. */
  others: readonly { title: string; path: string; requests: readonly string[] }[];
};

/**
 * Creates the report, completely or not at all.
 * @returns its id
 */
export async function createReportFrom(
  client: QueryClient,
  content: CreatedReport,
): Promise<string> {
  await waitUntilLoaded(client);
  const { id, updated_at } = await createReport(content.title.slice(0, TITLE_MOST));
  try {
    await updateReport(id, { blocks: [{ kind: 'text', markdown: content.prose }], updated_at });
    await createSnapshot(client, id, { ...content.page, also: [] });
    for (const { title, path, requests } of content.others) {
      const asked = [...new Set(snapshotRequestsOf(requests))];
      if (asked.length === 0) continue;
      await calls.reportsCreateSnapshot({
        path: { report_id: id },
        body: {
          title: title.slice(0, TITLE_MOST),
          path,
          requests: asked.slice(0, MOST_AT_ONCE),
          additional_requests: asked.slice(MOST_AT_ONCE),
        },
      });
    }
    return id;
  } catch (error) {
    // An incomplete report is not useful. If its deletion fails too, only the first error is shown.
    await deleteReport(id).catch(() => undefined);
    throw error;
  }
}
