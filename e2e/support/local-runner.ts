// Creates a repository with one culprit commit, and a runner for it on this machine.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { APIRequestContext } from '@playwright/test';

import { api, succeeded } from './users';

const root = join(import.meta.dirname, '../..');
const python = join(root, '.slowpath/venv/bin/python');
/** The folder whose repositories the server reads. */
export const repositories = process.env['SLOWPATH_LOCAL_REPOSITORIES'];
export const guilty = 'Read the whole table';
export const commits = 14;

const deploy = '#!/bin/sh\ntouch "$SLOWPATH_OUT/up"\nexec sleep 600\n';
const measure = '#!/bin/sh\ntest -e slow && echo 11 || echo 10\n';

/** Writes a repository with one culprit among its commits; returns the SHAs, the oldest first. */
export function writeHistory(folder: string): string[] {
  const git = (...words: string[]): string =>
    execFileSync('git', words, {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
      },
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@shop.example');
  return Array.from({ length: commits }, (_, number) => {
    writeFileSync(join(folder, 'step'), `${String(number)}\n`);
    if (number === 8) writeFileSync(join(folder, 'slow'), 'yes\n');

    git('add', '--all');
    git('commit', '--quiet', '--message', number === 8 ? guilty : `Step ${String(number)}`);
    if (number === 2) git('tag', 'v1.0.0');
    if (number === commits - 1) git('tag', 'v1.1.0');
    return git('rev-parse', 'HEAD');
  });
}

/** Starts a runner that measures 11 from the culprit commit on, and 10 before it. */
function spawnRunner(folder: string, repository: string, url: string, token: string): ChildProcess {
  for (const [name, text] of Object.entries({
    'deploy.sh': deploy,
    'measure.sh': measure,
  })) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  const file = join(folder, 'runner.toml');
  const lines = [
    '[runner]',
    'name = "journey"',
    `work = ${JSON.stringify(join(folder, 'runner'))}`,
    '[repositories]',
    `"" = ${JSON.stringify(repository)}`,
    '[deploy]',
    `command = [${JSON.stringify(join(folder, 'deploy.sh'))}]`,
    'health = { command = ["test", "-e", "{out}/up"], within = 30 }',
    '[measure]',
    `command = [${JSON.stringify(join(folder, 'measure.sh'))}]`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const log = openSync(join(folder, 'runner.log'), 'w');
  return spawn(python, ['-m', 'slowpath_cli.main', 'runner', '--config', file], {
    cwd: join(root, 'worker'),
    env: {
      ...process.env,
      PYTHONPATH: `${join(root, 'worker')}:${join(root, 'backend')}`,
      SLOWPATH_URL: url,
      SLOWPATH_TOKEN: token,
    },
    stdio: ['ignore', log, log],
  });
}

/** Posts to the API and returns the body of the response. */
export async function post<Known>(
  request: APIRequestContext,
  url: string,
  path: string,
  data: object,
): Promise<Known> {
  const headers = { Origin: new URL(url).origin };
  return (await (
    await succeeded(await request.post(`${api}${path}`, { data, headers }))
  ).json()) as Known;
}

export type LocalService = { serviceId: string; repositoryId: string; shas: string[] };

/** Adds a repository to a service and runs a runner while `use` runs; then removes the files. */
export async function withLocalRunner(
  context: { request: APIRequestContext; url: string; teamId: string },
  serviceId: string,
  use: (service: LocalService) => Promise<void>,
): Promise<void> {
  const { request, url, teamId } = context;
  mkdirSync(repositories ?? '', { recursive: true });
  const folder = mkdtempSync(join(repositories ?? '', 'journey-'));
  const repository = join(folder, 'repository');
  mkdirSync(repository);
  const shas = writeHistory(repository);
  const created = await post<{ id: string }>(request, url, '/repositories', {
    name: 'shop/shop',
    url: `file://${repository}`,
    services: [{ service_id: serviceId }],
  });
  const token = await post<{ secret: string }>(request, url, `/teams/${teamId}/tokens`, {
    name: 'runner',
    scopes: ['runner'],
    expires_in_days: 1,
  });
  const child = spawnRunner(folder, repository, url, token.secret);
  try {
    await use({ serviceId, repositoryId: created.id, shas });
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}
