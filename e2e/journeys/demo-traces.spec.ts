// The result of the demo depends on the contents of the traces only, not on sides, names or order.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from '../support/test';

const root = join(import.meta.dirname, '../..');
const python = join(root, '.slowpath/venv/bin/python');

type Outcome = {
  waiter: string;
  culprit: string;
  p99_before_ns: number;
  p99_after_ns: number;
  seconds: number;
};

async function play(url: string, ...asked: string[]): Promise<Outcome> {
  const { stdout } = await promisify(execFile)(
    python,
    ['-m', 'demos.traces', '--json', '--no-page', '--url', url, ...asked],
    { cwd: root, timeout: 55_000 },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
}

const stories = [
  { base: 'base', candidate: 'hogs', seed: 11, culprit: 'main.hog' },
  { base: 'hogs', candidate: 'base', seed: 12, culprit: 'main.hog' },
  { base: 'base', candidate: 'hogs', seed: 13, culprit: 'main.hog' },
  { base: 'base', candidate: 'tickers', seed: 14, culprit: 'main.ticker' },
  { base: 'tickers', candidate: 'base', seed: 15, culprit: 'main.ticker' },
];

for (const { base, candidate, seed, culprit } of stories) {
  test(`the demo from ${base} to ${candidate}, seed ${seed}: ${culprit} is the culprit`, async ({
    baseURL,
  }) => {
    const sides = ['--base', base, '--candidate', candidate, '--seed', String(seed)];
    const outcome = await play(baseURL ?? '', ...sides);
    expect(outcome).toMatchObject({ waiter: 'main.batcher', culprit });
    const [calm, busy] =
      base === 'base'
        ? [outcome.p99_before_ns, outcome.p99_after_ns]
        : [outcome.p99_after_ns, outcome.p99_before_ns];
    expect(calm).toBeLessThan(200_000);
    expect(busy).toBeGreaterThan(5_000_000);
    const names = ['waiter', 'culprit', 'p99_before_ns', 'p99_after_ns', 'seconds'];
    expect(Object.keys(outcome)).toEqual(names);
    expect(outcome.seconds).toBeGreaterThan(0);
  });
}

test('traces of the same program show no waiter and no culprit', async ({ baseURL }) => {
  const outcome = await play(baseURL ?? '', '--candidate', 'base', '--seed', '21');
  expect(outcome).toMatchObject({ waiter: null, culprit: null });
});

test('the trace demo fails with the reason for an unknown set', async ({ baseURL }) => {
  await expect(play(baseURL ?? '', '--base', 'nothing')).rejects.toThrow(
    /'nothing' is neither a file nor a set of the example/,
  );
});
