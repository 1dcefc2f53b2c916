import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEventStream, type EventKind } from './event-stream';

class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static opened: Stream[] = [];
  readyState = 1;
  constructor() {
    super();
    Stream.opened.push(this);
  }
  send(kind: EventKind, content: object) {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(content) }));
  }
  close() {}
}

function follow() {
  const received: EventKind[] = [];
  const stop = openEventStream({ onEvent: (kind) => received.push(kind), onLive: () => {} });
  return { received, stop, stream: Stream.opened[0]! };
}

describe('openEventStream', () => {
  beforeEach(() => {
    Stream.opened = [];
    vi.stubGlobal('EventSource', Stream);
    vi.spyOn(Date, 'now').mockReturnValue(performance.timeOrigin + 3000);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('reports no stale data that was loaded after the last change', () => {
    const { received, stop, stream } = follow();
    stream.send('stale', { quiet_ms: 3001 });
    stream.send('build', {});
    stop();
    expect(received).toEqual(['build']);
  });

  it.each([{ quiet_ms: 2999 }, {}])('reports stale data after %j', (content) => {
    const { received, stop, stream } = follow();
    stream.send('stale', content);
    stop();
    expect(received).toEqual(['stale']);
  });

  it('reports stale data after an interruption, however long nothing has changed', () => {
    const { received, stop, stream } = follow();
    stream.send('stale', { quiet_ms: 120_000 });
    stream.send('stale', { quiet_ms: 120_000 });
    stop();
    expect(received).toEqual(['stale']);
  });
});
