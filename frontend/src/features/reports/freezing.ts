/** From a page as it stands to a view of a report: which requests go along, and the server that takes the recording. */
import type { QueryClient } from '@tanstack/react-query';
import { Problem, calls, isReading, requestsShown } from '../../api';

/** What a report may hold. A page asks for more: who is there, what runs, what was said of it. */
const HELD = [
  'annotations',
  'artifacts',
  'bisects',
  'board',
  'builds',
  'changes',
  'comparisons',
  'deploys',
  'environments',
  'explanations',
  'growth',
  'regression-summary',
  'regressions',
  'repositories',
  'services',
  'spans',
  'traces',
];
const MOST = 64;
const PATIENCE_MS = 20_000;
const LOOK_MS = 100;

export function freezable(requests: readonly string[]): string[] {
  return requests.filter((request) => HELD.includes(request.split(/[/?]/u)[1] ?? ''));
}

/** Waits until the page has read all it shows. */
export async function settled(client: QueryClient): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  do await new Promise((go) => setTimeout(go, LOOK_MS));
  while (isReading(client) && Date.now() < end);
}

export type Frozen = { title: string; path: string; also: readonly string[] };

/**
 * Freezes the page. A read that can not be part of a report is left out; its place says so.
 * @returns how many answers were too many for one view
 */
export async function freeze(
  client: QueryClient,
  report_id: string,
  page: Frozen,
): Promise<number> {
  const wanted = freezable([...new Set([...requestsShown(client), ...page.also])]);
  let requests = wanted.slice(0, MOST);
  for (;;) {
    try {
      const { title, path } = page;
      await calls.reportsFreeze({ path: { report_id }, body: { title, path, requests } });
      return Math.max(wanted.length - MOST, 0);
    } catch (error) {
      const left = without(requests, error);
      if (left.length === 0 || left.length === requests.length) throw error;
      requests = left;
    }
  }
}

/** The requests but the one that the server named as not freezable. */
function without(requests: string[], error: unknown): string[] {
  if (!(error instanceof Problem) || error.slug !== 'not-freezable') return requests;
  return requests.filter((request) => !error.facts.detail.startsWith(`${request} is no read`));
}
