/**
 * The event stream, open while pages of a team are shown. An event names a subject, and all queries
 * whose key begins with its kind (`job`, `artifact`, `comparison`) are refetched. So this module
 * depends on no other feature.
 */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { EVENT_KINDS, openEventStream, type EventKind, type ServerEvent } from '../../../api';

/**
 * Events are collected for this time before queries are refetched: 30 decoded artifacts would
 * otherwise refetch a list 30 times.
 */
const GATHER_MS = 250;
/** The interval of polling while the stream is closed and a job is active. */
const POLL_MS = 2000;
/**
 * The interval of polling while the stream is open: an event may be lost if a connection ends
 * without an error.
 */
const SLOW_POLL_MS = 15_000;

let live = false;
const watchers = new Set<() => void>();

function setLive(next: boolean): void {
  if (live === next) return;
  live = next;
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
  };
}

/**
 * Returns the interval of polling while something is running: 15 s with an open stream, 2 s
 * otherwise; false if nothing is running.
 */
export function usePollWhile(): (isRunning: boolean) => number | false {
  const open = useSyncExternalStore(watch, () => live);
  return (isRunning) => (isRunning ? (open ? SLOW_POLL_MS : POLL_MS) : false);
}

function gathering(client: QueryClient) {
  const kinds = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    touch: (kind: string) => {
      kinds.add(kind);
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const touched of kinds) void client.invalidateQueries({ queryKey: [touched] });
        kinds.clear();
      }, GATHER_MS);
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Returns the kinds to refetch. A job also changes its subject, a notification its channel, a view
 * its comparison.
 */
export function touchedBy(kind: EventKind, event: ServerEvent): string[] {
  if (kind === 'stale') return EVENT_KINDS.filter((each) => each !== 'stale' && each !== 'view');
  if (kind === 'comment') return ['comment', 'activity', 'inbox'];
  if (kind === 'regression' || kind === 'bisect') return [kind, 'inbox'];
  if (kind === 'job') {
    const about = event.subject ? [event.subject.kind] : [];
    return ['job', ...about, ...(about[0] === 'notification' ? ['notification_channel'] : [])];
  }
  return kind === 'view' ? ['comparison'] : [kind];
}

export function useEvents(team: string): void {
  const client = useQueryClient();
  useEffect(() => {
    const gathered = gathering(client);
    const stop = openEventStream({
      onEvent: (kind, event) => {
        for (const touched of touchedBy(kind, event)) gathered.touch(touched);
      },
      onLive: setLive,
    });
    return () => {
      stop();
      gathered.stop();
    };
  }, [client, team]);
}
