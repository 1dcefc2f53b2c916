// A bisect from its start to its end: a repository, a runner started with one command, the list, the page.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { APIRequestContext } from '@playwright/test';

import { pathOf } from '../support/compare-helpers';
import { api, expect, expectAccessible, type Person, succeeded, test } from '../support/test';

const root = join(import.meta.dirname, '../..');
const python = join(root, '.slowpath/venv/bin/python');
const repositories = process.env['SLOWPATH_LOCAL_REPOSITORIES'];
const guilty = 'Read the whole table';
const commits = 14;

const deploy = '#!/bin/sh\ntouch "$SLOWPATH_OUT/up"\nexec sleep 600\n';
const measure = '#!/bin/sh\ntest -e slow && echo 11 || echo 10\n';

/** A repository of some commits, one of which is guilty; gives the ids, the oldest first. */
function written(folder: string): string[] {
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
    return git('rev-parse', 'HEAD');
  });
}

function runner(folder: string, repository: string, url: string, token: string): ChildProcess {
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

async function made<Known>(
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

/** Start a search, and a runner for it; gives the bisect's id. */
async function started(
  request: APIRequestContext,
  url: string,
  person: Person,
  folder: string,
): Promise<[string, ChildProcess]> {
  const repository = join(folder, 'repository');
  mkdirSync(repository);
  const shas = written(repository);
  const service = await made<{ id: string }>(request, url, '/services', {
    name: 'shop',
  });
  const created = await made<{ id: string }>(request, url, '/repositories', {
    name: 'shop/shop',
    url: `file://${repository}`,
    services: [{ service_id: service.id }],
  });
  const token = await made<{ secret: string }>(request, url, `/teams/${person.team.id}/tokens`, {
    name: 'runner',
    scopes: ['runner'],
    expires_in_days: 1,
  });
  const child = runner(folder, repository, url, token.secret);
  const bisect = await made<{ id: string }>(request, url, '/bisects', {
    service_id: service.id,
    repository_id: created.id,
    good_sha: shas[0],
    bad_sha: shas[commits - 1],
    signature: { kind: 'custom', subject: 'number' },
    settings: { measurement_seconds: 0, warm_up_seconds: 0 },
  });
  return [bisect.id, child];
}

test('a bisect ends at the guilty commit, and its page tells how', async ({
  page,
  person,
  context,
  baseURL,
}) => {
  test.skip(repositories === undefined, 'the server reads no folder of repositories');
  test.setTimeout(240_000);
  const url = baseURL ?? '';
  await page.goto(pathOf(person, '/bisects'));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page);

  mkdirSync(repositories ?? '', { recursive: true });
  const folder = mkdtempSync(join(repositories ?? '', 'journey-'));
  const [id, child] = await started(context.request, url, person, folder);
  try {
    await page.goto(pathOf(person, `/bisects/${id}`));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // It updates while the page is open: without a reload.
    const answer = page.getByRole('heading', { level: 1 });
    await expect(answer).toContainText('caused the regression', {
      timeout: 180_000,
    });
    await expect(answer).toContainText(guilty);
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await page.goto(pathOf(person, '/bisects'));
  await expect(page.getByRole('main')).toContainText(guilty);
  await expectAccessible(page);
});
