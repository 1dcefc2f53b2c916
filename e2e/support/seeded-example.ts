/** Seeds parts of the example in a new team through the public API. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { APIRequestContext } from '@playwright/test';

import { api, succeeded } from './test';

const root = join(import.meta.dirname, '../..');
const python = join(root, '.slowpath/venv/bin/python');
const SEED_MS = 200_000;

/** Seeds parts of the example and signs in as the owner of its team; returns the team's slug. */
export async function seedExample(
  request: APIRequestContext,
  url: string,
  parts: readonly ('board' | 'builds')[],
): Promise<string> {
  const only = parts.flatMap((part) => ['--only', part]);
  const { stdout } = await promisify(execFile)(
    python,
    ['-m', 'slowpath_cli.main', 'admin', 'seed-example', ...only, '--url', url],
    { cwd: root, timeout: SEED_MS },
  );
  const [, email, password] = /Sign in as (\S+) with the password (\S+)/.exec(stdout) ?? [];
  const headers = { Origin: new URL(url).origin };
  await succeeded(await request.post(`${api}/session`, { data: { email, password }, headers }));
  const session = (await (await succeeded(await request.get(`${api}/session`))).json()) as {
    teams: { slug: string }[];
  };
  return session.teams[0]?.slug ?? '';
}
