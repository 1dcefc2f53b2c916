/**
 * Uploads one file: a small one in one request, a large one in parts. Each part is retried alone,
 * and the upload can be resumed after an interruption, even after the page was closed.
 */
import {
  Problem,
  calls,
  isTransient,
  sendUpload,
  type Artifact,
  type Facts,
  type Upload,
} from '../../../api';
import { setPreference, getPreference } from '../../../ui';

const MIB = 1024 * 1024;
/** Larger files are sent in parts, as the API recommends: a lost connection then costs less. */
export const PARTS_ABOVE_BYTES = 32 * MIB;
const TRIES = 5;
const FIRST_PAUSE_MS = 600;

type Sendable = { file: File; name: string; batch: string; facts: Facts };
type Watching = {
  signal: AbortSignal;
  onSent: (bytes: number) => void;
  pause?: (ms: number) => Promise<void>;
};

const waitFor = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Retries transient errors, with about twice the delay each time; throws all others at once. */
async function persistently<T>(attempt: () => Promise<T>, watching: Watching): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      if (watching.signal.aborted || tried >= TRIES || !isTransient(error)) throw error;
      // Jitter: files that failed at the same time are not retried at the same time.
      await (watching.pause ?? waitFor)(
        FIRST_PAUSE_MS * 2 ** (tried - 1) * (0.75 + Math.random() / 2),
      );
    }
  }
}

function factsText(facts: Facts): string | null {
  return Object.keys(facts).length > 0 ? JSON.stringify(facts) : null;
}

/** Returns the key of a stored upload ID, with which the same file resumes its upload. */
const memoryOf = ({ file, name }: Sendable): string =>
  `upload ${name} ${file.size} ${file.lastModified}`;

async function begunUpload(sendable: Sendable): Promise<Upload> {
  const kept = getPreference(memoryOf(sendable));
  if (kept) {
    try {
      const upload = await calls.uploadsGet({ path: { upload_id: kept } });
      if (upload.artifact_id === null && upload.size_bytes === sendable.file.size) return upload;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
    }
  }
  const { file, name, batch, facts } = sendable;
  const upload = await calls.uploadsCreate({
    body: { name, size_bytes: file.size, batch, run_metadata: facts },
  });
  setPreference(memoryOf(sendable), upload.id);
  return upload;
}

async function sendInParts(sendable: Sendable, watching: Watching): Promise<Artifact> {
  const { file } = sendable;
  const upload = await persistently(() => begunUpload(sendable), watching);
  const arrived = new Set(upload.parts.map(({ number }) => number));
  const size = upload.part_size_bytes;
  const count = Math.ceil(file.size / size);
  let done = upload.parts.reduce((sum, part) => sum + part.size_bytes, 0);
  for (let number = 1; number <= count; number++) {
    if (arrived.has(number)) continue;
    const body = file.slice((number - 1) * size, number * size);
    const before = done;
    const attempt = () =>
      sendUpload('PUT', `/uploads/${upload.id}/parts/${number}`, {
        body,
        headers: { 'Content-Type': 'application/octet-stream' },
        signal: watching.signal,
        onProgress: (sent) => watching.onSent(before + sent),
      });
    await persistently(attempt, watching);
    done += body.size;
    watching.onSent(done);
  }
  const artifact = await persistently(
    () => calls.uploadsComplete({ path: { upload_id: upload.id } }),
    watching,
  );
  setPreference(memoryOf(sendable), '');
  return artifact;
}

async function sendWhole(
  { file, name, batch, facts }: Sendable,
  watching: Watching,
): Promise<Artifact> {
  // All attempts have one key, so a lost response does not create a second artifact.
  const key = crypto.randomUUID();
  const attempt = () =>
    sendUpload<Artifact>('PUT', `/artifacts/${encodeURIComponent(name)}`, {
      query: { batch, run_metadata: factsText(facts) },
      body: file,
      headers: { 'Content-Type': 'application/octet-stream', 'Idempotency-Key': key },
      signal: watching.signal,
      onProgress: watching.onSent,
    });
  return persistently(attempt, watching);
}

export function sendFile(sendable: Sendable, watching: Watching): Promise<Artifact> {
  return sendable.file.size > PARTS_ABOVE_BYTES
    ? sendInParts(sendable, watching)
    : sendWhole(sendable, watching);
}
