/** Answers that are read by a checker of their own: documents of the analysis, and bulk numbers. Same client, same problems. */
import { API, asBytes } from './client';
import { client } from './generated/client.gen';

/** @param path below the API's root, its parts already encoded. */
export async function readJson(path: string, signal?: AbortSignal): Promise<unknown> {
  return client.get<Record<200, unknown>, unknown, true, 'data'>({
    responseStyle: 'data',
    url: `${API}${path}`,
    signal,
  });
}

export async function readBytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
  return client.get<Record<200, ArrayBuffer>, unknown, true, 'data'>({
    responseStyle: 'data',
    url: `${API}${path}`,
    signal,
    ...asBytes,
  });
}

export async function postJson(path: string, body: unknown): Promise<unknown> {
  return client.post<Record<202, unknown>, unknown, true, 'data'>({
    responseStyle: 'data',
    url: `${API}${path}`,
    body,
    headers: { 'Content-Type': 'application/json' },
  });
}
