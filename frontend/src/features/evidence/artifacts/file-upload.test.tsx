import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { anArtifact } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { PARTS_ABOVE_BYTES, sendFile } from './file-upload';

const PART = 8 * 1024 * 1024;
const SIZE = PARTS_ABOVE_BYTES + 5;
const COUNT = Math.ceil(SIZE / PART);

const large = new File([new Uint8Array(SIZE)], 'large.pb', { lastModified: 7 });
const sendable = { file: large, name: 'large.pb', batch: 'b', facts: {} };
const watching = (sent: number[] = []) => ({
  signal: new AbortController().signal,
  onSent: (bytes: number) => sent.push(bytes),
  pause: () => Promise.resolve(),
});

type Kept = Map<number, number>;

/** Serves an upload that stores its parts; `refuse` decides whether a request for a part fails. */
function keeping(
  kept: Kept,
  refuse: (part: number) => boolean = () => false,
): { begun: number; parts: number[] } {
  const seen = { begun: 0, parts: [] as number[] };
  const requests = () => ({
    id: 'u1',
    name: 'large.pb',
    size_bytes: SIZE,
    part_size_bytes: PART,
    parts: [...kept].map(([number, size_bytes]) => ({ number, size_bytes, sha256: '' })),
    artifact_id: null,
    expires_at: '2026-11-23T00:00:00Z',
  });
  server.use(
    http.post(at('/uploads'), () => {
      seen.begun += 1;
      return HttpResponse.json(requests(), { status: 201 });
    }),
    http.get(at('/uploads/u1'), () => HttpResponse.json(requests())),
    http.put(at('/uploads/u1/parts/:number'), ({ params }) => {
      const number = Number(params.number);
      seen.parts.push(number);
      if (refuse(number)) return problem(503, { title: 'Not available right now' });
      // The expected size of a part: the bytes cannot be read here (jsdom's blobs are not Node's).
      const size_bytes = number < COUNT ? PART : SIZE % PART;
      kept.set(number, size_bytes);
      return HttpResponse.json({ number, size_bytes, sha256: '' });
    }),
    http.post(at('/uploads/u1/complete'), () =>
      HttpResponse.json(anArtifact({ name: 'large.pb' }), { status: 201 }),
    ),
  );
  return seen;
}

describe('sendFile with a large file', () => {
  beforeEach(() => window.localStorage.clear());

  it('sends it in parts, and reports the progress', async () => {
    const kept: Kept = new Map();
    const sent: number[] = [];
    keeping(kept);
    const artifact = await sendFile(sendable, watching(sent));
    expect(artifact.name).toBe('large.pb');
    expect([...kept.keys()]).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
    expect(sent.at(-1)).toBe(SIZE);
  });

  it('retries a part while the server is unavailable', async () => {
    const kept: Kept = new Map();
    let failures = 0;
    keeping(kept, (part) => part === 2 && failures++ < 2);
    await sendFile(sendable, watching());
    expect(failures).toBe(3);
    expect(kept.size).toBe(COUNT);
  });

  it('resumes a failed upload without sending stored parts again', async () => {
    const kept: Kept = new Map();
    let resting = true;
    const seen = keeping(kept, (part) => part === 3 && resting);
    await expect(sendFile(sendable, watching())).rejects.toMatchObject({ status: 503 });
    expect(kept.size).toBe(2);
    resting = false;
    seen.parts = [];
    const again: number[] = [];
    await sendFile(sendable, watching(again));
    expect(seen.begun).toBe(1);
    expect(seen.parts).toEqual([3, 4, 5]);
    expect(Math.min(...again)).toBeGreaterThanOrEqual(2 * PART);
  });
});

describe('sendFile with a small file', () => {
  it('retries with the same idempotency key when the response is lost', async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.put(at('/artifacts/:name'), ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'));
        return keys.length < 2
          ? HttpResponse.error()
          : HttpResponse.json(anArtifact(), { status: 201 });
      }),
    );
    await sendFile(
      { file: new File(['x'], 'a b.pb'), name: 'a b.pb', batch: 'b', facts: {} },
      watching(),
    );
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBeNull();
  });

  it('does not retry a rejected file', async () => {
    let tries = 0;
    server.use(
      http.put(at('/artifacts/:name'), () => {
        tries += 1;
        return problem(422, { detail: 'no' });
      }),
    );
    await expect(
      sendFile({ file: new File(['x'], 'x'), name: 'x', batch: 'b', facts: {} }, watching()),
    ).rejects.toMatchObject({ status: 422 });
    expect(tries).toBe(1);
  });
});
