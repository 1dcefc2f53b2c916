/**
 * The page's side of the worker. A pattern may come from a link and may be made to never end: a
 * request that takes too long stops the worker; a new one gets the same data, and the user sees an
 * error. The page never waits.
 */
import type { LayoutRequest, Arranged, ZoomTarget } from '../../engine/flame/flame-model';
import type { NamePattern } from '../../engine/flame/flame-view';
import { FlameModel } from '../../engine/flame/flame-model';
import { spawnWorker } from './spawn-worker';
import type { Answer, ArrangedSent, Request, SearchFound } from './worker-messages';
import { answer, arrangedReceived } from './worker-messages';

/** Arranging 500,000 frames takes under a second on a slow machine; ten times that is too long. */
const PATIENCE_MS = 10_000;

type Pending = {
  resolve: (value: never) => void;
  reject: (cause: Error) => void;
  timer: ReturnType<typeof setTimeout>;
};
type Unsent<Kind> = Kind extends Request ? Omit<Kind, 'id'> : never;
type Carrier = { post: (request: Request) => void; stop: () => void };

/** The request was stopped because it took too long; a new worker is started. */
class FlameWorkerTimeout extends Error {
  declare protected readonly brand: true; // without it, any object of this shape would match

  constructor() {
    super(`The pattern took longer than ${PATIENCE_MS / 1000} seconds and was stopped`);
    this.name = 'FlameWorkerTimeout';
  }
}

function browserCarrier(
  receive: (reply: Answer) => void,
  failed: (message: string) => void,
): Carrier {
  const worker = spawnWorker();
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => receive(data));
  worker.addEventListener('error', (event) =>
    failed(event.message || 'Could not start the flame graph worker'),
  );
  return {
    post: (request) => worker.postMessage(request),
    stop: () => worker.terminate(),
  };
}

/** Without workers (tests), the model runs in the page, in a later task. */
function inlineCarrier(receive: (reply: Answer) => void): Carrier {
  const model = new FlameModel();
  let stopped = false;
  return {
    post: (request) => {
      setTimeout(() => {
        if (stopped) return;
        try {
          receive({ id: request.id, ok: true, value: answer(model, request) });
        } catch (cause) {
          receive({
            id: request.id,
            ok: false,
            message: cause instanceof Error ? cause.message : String(cause),
          });
        }
      }, 0);
    },
    stop: () => {
      stopped = true;
    },
  };
}

export class FlameWorker {
  #carrier: Carrier;
  #next = 1;
  readonly #pending = new Map<number, Pending>();
  /** The data that a new worker needs. */
  #parts: { ask: 'open' | 'merge'; buffer: ArrayBuffer }[] = [];
  #stopped = false;

  constructor() {
    this.#carrier = this.#start();
  }

  /** Replaces all data. The buffer is copied, not transferred. */
  open(buffer: ArrayBuffer): Promise<null> {
    this.#parts = [{ ask: 'open', buffer }];
    return this.#request({ ask: 'open', buffer });
  }

  merge(buffer: ArrayBuffer): Promise<null> {
    this.#parts.push({ ask: 'merge', buffer });
    return this.#request({ ask: 'merge', buffer });
  }

  async arrange(request: LayoutRequest): Promise<Arranged | null> {
    const sent = await this.#request<ArrangedSent | null>({ ask: 'arrange', request });
    return sent === null ? null : arrangedReceived(sent);
  }

  search(pattern: NamePattern): Promise<SearchFound> {
    return this.#request({ ask: 'search', pattern });
  }

  locate(key: string): Promise<ZoomTarget | null> {
    return this.#request({ ask: 'locate', key });
  }

  /** Returns the frame of the main table that a path of names refers to, or -1. */
  find(path: readonly string[]): Promise<number> {
    return this.#request({ ask: 'find', path });
  }

  stop(): void {
    this.#stopped = true;
    this.#carrier.stop();
    this.#giveUp(new Error('The flame graph was closed'));
  }

  #start(): Carrier {
    const receive = (reply: Answer): void => this.#receive(reply);
    if (typeof Worker === 'undefined') return inlineCarrier(receive);
    return browserCarrier(receive, (message) => this.#giveUp(new Error(message)));
  }

  #request<Value>(asked: Unsent<Request>): Promise<Value> {
    const id = this.#next++;
    return new Promise<Value>((resolve, reject) => {
      const timer = setTimeout(() => this.#restart(), PATIENCE_MS);
      this.#pending.set(id, { resolve, reject, timer });
      if (this.#stopped) this.#giveUp(new Error('The flame graph was closed'));
      else this.#carrier.post({ ...asked, id });
    });
  }

  #receive(reply: Answer): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    clearTimeout(pending.timer);
    // The promise was created for the value that this request returns.
    if (reply.ok) pending.resolve(reply.value as never);
    else pending.reject(new Error(reply.message));
  }

  #restart(): void {
    this.#carrier.stop();
    this.#giveUp(new FlameWorkerTimeout());
    if (this.#stopped) return;
    this.#carrier = this.#start();
    for (const part of this.#parts) this.#carrier.post({ ...part, id: 0 });
  }

  #giveUp(cause: Error): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject, timer } of pending) {
      clearTimeout(timer);
      reject(cause);
    }
  }
}
