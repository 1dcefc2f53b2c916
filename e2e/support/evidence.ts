// Creates builds with profiles through the API, for journeys that compare them.
import { type APIRequestContext } from '@playwright/test';

import { exampleFiles } from './compare-helpers';
import { cpuProfile } from './pprof';
import { api, succeeded } from './users';

type Context = { request: APIRequestContext; baseURL: string };
export type Uploaded = { build: string; artifacts: string[] };

async function post(
  { request, baseURL }: Context,
  path: string,
  data: object,
): Promise<{ id: string }> {
  const headers = { Origin: new URL(baseURL).origin };
  return (await (
    await succeeded(await request.post(`${api}${path}`, { data, headers }))
  ).json()) as { id: string };
}

export async function createService(context: Context, name: string): Promise<string> {
  return (await post(context, '/services', { name })).id;
}

/** Creates a build with profiles of a variant of the example, and waits until all are decoded. */
export async function uploadBuild(
  context: Context,
  service_id: string,
  build: { commit: string; branch: string; variant: string },
): Promise<Uploaded> {
  const { commit, branch, variant } = build;
  const made = await post(context, '/builds', { service_id, commit, branch });
  const artifacts: string[] = [];
  for (const { name, buffer } of exampleFiles(variant, 4))
    if (name.endsWith('.pb.gz'))
      artifacts.push(await uploadProfile(context, name, buffer, `?build_id=${made.id}`));
  await waitUntilDecoded(context, artifacts);
  return { build: made.id, artifacts };
}

export async function uploadProfile(
  { request, baseURL }: Context,
  name: string,
  data: Buffer,
  query = '',
): Promise<string> {
  const headers = { Origin: new URL(baseURL).origin };
  const path = `${api}/artifacts/${encodeURIComponent(name)}${query}`;
  const answer = await succeeded(await request.put(path, { data, headers }));
  return ((await answer.json()) as { id: string }).id;
}

export async function waitUntilDecoded({ request }: Context, ids: string[]): Promise<void> {
  const states = async () =>
    Promise.all(
      ids.map(async (id) => {
        const answer = await succeeded(await request.get(`${api}/artifacts/${id}`));
        return ((await answer.json()) as { state: string }).state;
      }),
    );
  for (let tries = 0; tries < 240; tries += 1) {
    if ((await states()).every((state) => state === 'decoded')) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('the artifacts are not decoded after a minute');
}

/** Returns a CPU profile whose samples have a label with one of two endpoints. */
export const labelledProfile = (timeNs: bigint): Buffer =>
  cpuProfile(
    [
      {
        frames: [{ name: 'main.checkout' }, { name: 'main.main' }],
        samples: 600,
        labels: { endpoint: '/checkout' },
      },
      {
        frames: [{ name: 'main.search' }, { name: 'main.main' }],
        samples: 400,
        labels: { endpoint: '/search' },
      },
    ],
    { timeNs },
  );
