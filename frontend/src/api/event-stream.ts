/**
 * The event stream of changes on the server. An event names what changed; the listener requests it
 * again.
 */
import { openUrl } from './api-client';

/** The kinds of events that the server sends; `stale` means that events may have been missed. */
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
  /** The subject of a job. */
  subject?: { kind: string; id: string } | null;
  /**
   * In `stale` events: for how many milliseconds nothing had changed. Without it, anything may have
   * changed.
   */
  quiet_ms?: number;
};

type Listener = {
  onEvent: (kind: EventKind, event: ServerEvent) => void;
  /**
   * Called with true when the stream opens, and with false when it is interrupted; meanwhile
   * queries poll.
   */
  onLive: (live: boolean) => void;
};

/**
 * The delay before reconnecting after an error response, after which the browser does not
 * reconnect. The user may have signed in again by then.
 */
const AGAIN_MS = 5000;

/** Returns whether this event states that nothing has changed since the page was loaded. */
function isUpToDate(kind: EventKind, event: ServerEvent): boolean {
  return kind === 'stale' && (event.quiet_ms ?? 0) > Date.now() - performance.timeOrigin;
}

function read(event: Event): ServerEvent | null {
  try {
    return JSON.parse((event as MessageEvent<string>).data) as ServerEvent;
  } catch {
    // An invalid event does not end the stream: polling requests the same data.
    return null;
  }
}

/**
 * Listens until the returned function is called. The browser reconnects, except after an error
 * response.
 */
export function openEventStream(listener: Listener): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;

  // Only the first stream can be up to date: a later one follows an interruption of unknown length.
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
