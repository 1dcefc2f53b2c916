/**
 * Sending bytes with progress. `fetch` does not report how much of a body was sent, so this is the one place that uses
 * XMLHttpRequest; failures are the same `Problem`s.
 */
import { Problem, address, teamHeaders, offline, parseProblem, type Query } from './api-client';

type UploadRequest = {
  query?: Query;
  body: Blob | FormData;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  onProgress?: (sentBytes: number) => void;
};

/** Send a body and return the parsed JSON answer; rejects with `Problem`, or `AbortError` when the signal fires. */
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
    const team = teamHeaders();
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
 * Why a view cannot be shown, if it cannot: what was read once stays while another reading only met an error that may
 * pass. Null where there is something to show.
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

/** Is another try of the same request worth it? */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500)
  );
}
