/**
 * Sends bytes with progress. `fetch` does not report how much of a body was sent, so this is the
 * only file that uses XMLHttpRequest; failures are the same `Problem`s.
 */
import { Problem, address, getCurrentTeam, offline, parseProblem, type Query } from './api-client';

type UploadRequest = {
  query?: Query;
  body: Blob | FormData;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  onProgress?: (sentBytes: number) => void;
};

/**
 * Sends a body and returns the parsed JSON response; rejects with `Problem`, or `AbortError` when
 * the signal is aborted.
 */
export function sendUpload<T>(
  method: 'POST' | 'PUT',
  path: string,
  sending: UploadRequest,
): Promise<T> {
  const { query, body, headers = {}, signal, onProgress } = sending;
  return new Promise<T>((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open(method, address(path, query));
    const team = getCurrentTeam();
    if (team) request.setRequestHeader('Slowpath-Team', team);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => onProgress?.(event.loaded);
    request.onload = () => {
      signal?.removeEventListener('abort', stop);
      if (request.status < 200 || request.status >= 300) {
        reject(parseProblem(request.status, request.responseText));
        return;
      }
      try {
        resolve((request.responseText === '' ? null : JSON.parse(request.responseText)) as T);
      } catch {
        reject(parseProblem(request.status, request.responseText));
      }
    };
    request.onerror = () => reject(offline());
    request.onabort = () => reject(new DOMException('stopped', 'AbortError'));
    if (signal?.aborted) {
      reject(new DOMException('stopped', 'AbortError'));
      return;
    }
    signal?.addEventListener('abort', stop, { once: true });
    request.send(body);
  });
}

/**
 * Returns the error that a view shows instead of its data. Returns null if the view has data and
 * the last request only failed for a transient reason.
 */
export function makeConnectionLostError({
  error,
  data,
}: {
  error: Error | null;
  data: unknown;
}): Error | null {
  return data !== undefined && isTransient(error) ? null : error;
}

/** Returns whether the same request may succeed when it is retried. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500)
  );
}
