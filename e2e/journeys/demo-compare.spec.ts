// The result of the demo depends on the contents of the files only, not on sides, names or order.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from '../support/test';

const root = join(import.meta.dirname, '../..');
const python = join(root, '.slowpath/venv/bin/python');

type Outcome = {
  verdict: string;
  first_finding: string;
  attributed_caller: string;
  seconds: number;
};

async function play(url: string, ...asked: string[]): Promise<Outcome> {
  const { stdout } = await promisify(execFile)(
    python,
    ['-m', 'demos.compare', '--json', '--no-page', '--url', url, ...asked],
    { cwd: root, timeout: 55_000 },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
}

const stories = [
  { base: 'inlined', candidate: 'helper', seed: 11, verdict: 'regressed' },
  { base: 'helper', candidate: 'inlined', seed: 12, verdict: 'improved' },
  { base: 'inlined', candidate: 'helper', seed: 13, verdict: 'regressed' },
];

for (const { base, candidate, seed, verdict } of stories) {
  test(`the demo from ${base} to ${candidate}, seed ${seed}: ${verdict} by stack growth`, async ({
    baseURL,
  }) => {
    const outcome = await play(
      baseURL ?? '',
      '--base',
      base,
      '--candidate',
      candidate,
      '--seed',
      String(seed),
    );
    expect(outcome).toMatchObject({ verdict, first_finding: 'stack-growth' });
    expect(outcome.attributed_caller).toMatch(/ident\.(cloneBytes|\(\*Pool\)\.Clone)$/);
    expect(Object.keys(outcome)).toEqual([
      'verdict',
      'first_finding',
      'attributed_caller',
      'seconds',
    ]);
    expect(outcome.seconds).toBeGreaterThan(0);
  });
}

test('the fix in the demo is an improvement over both other variants', async ({ baseURL }) => {
  for (const base of ['helper', 'inlined']) {
    const outcome = await play(
      baseURL ?? '',
      '--base',
      base,
      '--candidate',
      'pool',
      '--seed',
      '21',
    );
    expect(outcome.verdict).toBe('improved');
  }
});

test('the comparison demo fails with the reason for an unknown set', async ({ baseURL }) => {
  await expect(play(baseURL ?? '', '--base', 'nothing')).rejects.toThrow(
    /unknown set 'nothing'; choose from/,
  );
});
