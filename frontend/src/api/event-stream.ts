/** The stream of what changed on the server. Reading it again is the listener's business: an event only says *what*. */
import { openUrl } from './api-client';

/** The events the server sends; `stale` says that something may have been missed. */
export const EVENT_KINDS = [
  'job',
  'artifact',
  'comparison',
  'view',
  'export',
  'comment',
  'mention',
  'activity',
  'bisect',
  'regression',
  'build',
  'stale',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type ServerEvent = {
  id?: string;
  state?: string;
  /** Of a job: what it is about. */
  subject?: { kind: string; id: string } | null;
};

type Listener = {
  onEvent: (kind: EventKind, event: ServerEvent) => void;
  /** True while the stream is open; while it is false, queries poll. */
  onLive: (live: boolean) => void;
};

/** After a refusal the browser gives up; a session may have come back since. */
const AGAIN_MS = 5000;

function read(event: Event): ServerEvent | null {
  try {
    return JSON.parse((event as MessageEvent<string>).data) as ServerEvent;
  } catch {
    // One unreadable event is not worth losing the stream for: polling fetches the same data.
    return null;
  }
}

/** Listen until the returned function is called. The browser reconnects, except after a refusal. */
export function openEventStream(listener: Listener): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const open = () => {
    source = new EventSource(openUrl('/updates'), { withCredentials: true });
    source.addEventListener('open', () => listener.onLive(true));
    for (const kind of EVENT_KINDS) {
      source.addEventListener(kind, (event) => {
        const content = read(event);
        if (content) listener.onEvent(kind, content);
      });
    }
    source.addEventListener('error', () => {
      listener.onLive(false);
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, AGAIN_MS);
    });
  };
  open();

  return () => {
    clearTimeout(retry);
    source?.close();
    listener.onLive(false);
  };
}
