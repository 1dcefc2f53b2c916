/**
 * Adds a snapshot of the current page to a report: selects the requests, whose responses the server
 * records.
 */
import type { QueryClient } from '@tanstack/react-query';
import { FREEZABLE, calls, isReading, listVisibleRequests } from '../../../api';

/**
 * The maximum number of requests of what is shown; further ones are recorded while there is room.
 */
const MOST_SHOWN = 64;
const MOST_ALSO = 1000;
const PATIENCE_MS = 20_000;
const LOOK_MS = 100;

const patterns = FREEZABLE.map((template) => {
  const pieces = template
    .split(/\{[^}]*\}/u)
    .map((piece) => piece.replace(/[.*+?^$()|[\]\\]/gu, '\\$&'));
  return new RegExp(`^${pieces.join('[^/]+')}$`, 'u');
});

/**
 * Returns the requests that a report may contain. A page sends others too: for the session, running
 * jobs and comments.
 */
export function snapshotRequestsOf(requests: readonly string[]): string[] {
  return requests.filter((request) => {
    const [path = ''] = request.split('?');
    return patterns.some((pattern) => pattern.test(path));
  });
}

/** Waits until the page has loaded all that it shows, for 20 s at most. */
export async function waitUntilLoaded(client: QueryClient): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  do await new Promise((go) => setTimeout(go, LOOK_MS));
  while (isReading(client) && Date.now() < end);
}

type CreatedSnapshot = { title: string; path: string; also: readonly string[] };

/**
 * Creates a snapshot of the page. Requests that cannot be recorded are omitted; their views state
 * that.
 * @returns how many responses exceeded the limits of one snapshot
 */
export async function createSnapshot(
  client: QueryClient,
  report_id: string,
  { title, path, also }: CreatedSnapshot,
): Promise<number> {
  const shown = snapshotRequestsOf(listVisibleRequests(client));
  const requests = shown.slice(0, MOST_SHOWN);
  const behind = [...new Set([...shown.slice(MOST_SHOWN), ...snapshotRequestsOf(also)])];
  const view = await calls.reportsCreateSnapshot({
    path: { report_id },
    body: { title, path, requests, additional_requests: behind.slice(0, MOST_ALSO) },
  });
  const wanted = new Set([...requests, ...behind]);
  return Math.max(wanted.size - view.responses.length, 0);
}
