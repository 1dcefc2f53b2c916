/** A whole report in one go: prose, the page that is looked at, and pages that are known by what they ask for. */
import type { QueryClient } from '@tanstack/react-query';
import { calls } from '../../api';
import { freezable, freeze, settled } from './freezing';
import { changeReport, createReport, deleteReport } from './queries';

const TITLE_MOST = 200;
/** So many answers stand behind a page at once; the others go along as far as there is room. */
const MOST_AT_ONCE = 64;

export type Written = {
  title: string;
  /** Markdown. */
  prose: string;
  /** The page that is looked at. */
  page: { title: string; path: string };
  /** Pages that nobody has opened, with all they ask for. */
  others: readonly { title: string; path: string; requests: readonly string[] }[];
};

/**
 * Writes it, whole or not at all.
 * @returns its id
 */
export async function writeReport(client: QueryClient, told: Written): Promise<string> {
  await settled(client);
  const { id, changed_at } = await createReport(told.title.slice(0, TITLE_MOST));
  try {
    await changeReport(id, { blocks: [{ kind: 'prose', markdown: told.prose }], changed_at });
    await freeze(client, id, { ...told.page, also: [] });
    for (const { title, path, requests } of told.others) {
      const asked = [...new Set(freezable(requests))];
      if (asked.length === 0) continue;
      await calls.reportsFreeze({
        path: { report_id: id },
        body: {
          title: title.slice(0, TITLE_MOST),
          path,
          requests: asked.slice(0, MOST_AT_ONCE),
          also: asked.slice(MOST_AT_ONCE),
        },
      });
    }
    return id;
  } catch (error) {
    // Half a report is nobody's wish; that it stays is worth no second message.
    await deleteReport(id).catch(() => undefined);
    throw error;
  }
}
