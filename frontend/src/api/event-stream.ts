/** The stream of changes on the server. An event names what changed; the listener reads it again. */
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
  /** Of `stale`: for how many milliseconds nothing had changed. Without it, anything may have. */
  quiet_ms?: number;
};

type Listener = {
  onEvent: (kind: EventKind, event: ServerEvent) => void;
  /** True while the stream is open; while it is false, queries poll. */
  onLive: (live: boolean) => void;
};

/** After a refusal the browser gives up; a session may have come back since. */
const AGAIN_MS = 5000;

/** Whether the first event of the page's first stream states that nothing has changed since the page was loaded. */
function isUpToDate(kind: EventKind, event: ServerEvent): boolean {
  return kind === 'stale' && (event.quiet_ms ?? 0) > Date.now() - performance.timeOrigin;
}

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

  // A later stream follows an interruption of unknown length: its page is read again.
  let isFirst = true;

  const open = () => {
    source = new EventSource(openUrl('/updates'), { withCredentials: true });
    source.addEventListener('open', () => listener.onLive(true));
    for (const kind of EVENT_KINDS) {
      source.addEventListener(kind, (event) => {
        const content = read(event);
        if (content && !(isFirst && isUpToDate(kind, content))) listener.onEvent(kind, content);
        isFirst = false;
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
