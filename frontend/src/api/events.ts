/** The stream of what changed on the server. Reading it again is the listener's business: an event only says *what*. */
import { openAddress } from './client';

export type JobEvent = {
  id: string;
  name: string;
  state: string;
  progress: number | null;
  step: string | null;
  subject: string | null;
};
export type SubjectEvent = { id: string; state: string };

export type Listener = {
  onJob: (event: JobEvent) => void;
  onArtifact: (event: SubjectEvent) => void;
  onComparison: (event: SubjectEvent) => void;
  /** True while the stream is open; while it is false, whoever needs fresh data polls. */
  onLive: (live: boolean) => void;
};

/** Listen until the returned function is called. The browser reconnects by itself, except after a refusal. */
export function listen(listener: Listener): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const heard = (tell: (event: never) => void) => (event: Event) => {
    try {
      tell(JSON.parse((event as MessageEvent<string>).data) as never);
    } catch {
      // One unreadable event is not worth losing the stream for: polling will bring what it said.
    }
  };

  const open = () => {
    source = new EventSource(openAddress('/events'), { withCredentials: true });
    source.addEventListener('open', () => {
      listener.onLive(true);
    });
    source.addEventListener('job', heard(listener.onJob));
    source.addEventListener('artifact', heard(listener.onArtifact));
    source.addEventListener('comparison', heard(listener.onComparison));
    source.addEventListener('error', () => {
      listener.onLive(false);
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, 5000);
    });
  };
  open();

  return () => {
    clearTimeout(retry);
    source?.close();
    listener.onLive(false);
  };
}
