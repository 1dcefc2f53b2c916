/**
 * The event stream, open while a team's pages are. An event names a subject; every query whose key begins with
 * that subject's kind (`job`, `artifact`, `comparison`) is read again. So this module depends on no other feature.
 */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { EVENT_KINDS, openEventStream, type EventKind, type ServerEvent } from '../../../api';

/** Several events of one moment are one reading: 30 decodes would otherwise be 30 lists. */
const GATHER_MS = 250;
/** How often is asked again while the stream is closed and something is under way. */
const POLL_MS = 2000;
/** With the stream open, queries poll slowly: an event may be lost with a connection that ends without an error. */
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

/** How often to read again what is under way: rarely while events arrive, every 2 s otherwise; never when idle. */
export function usePollWhile(): (runningText: boolean) => number | false {
  const open = useSyncExternalStore(watch, () => live);
  return (runningText) => (runningText ? (open ? SLOW_POLL_MS : POLL_MS) : false);
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

/** What is to be read again: a job changes what it is about, a notification its channel, a view its comparison. */
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
