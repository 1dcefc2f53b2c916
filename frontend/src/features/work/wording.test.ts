import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doingOf, leavesNothing, nounOf } from './wording';

const HOUSE = join(import.meta.dirname, '..', '..', '..', '..', 'backend', 'slowpath');
const JOB = /name: ClassVar\[str\] = "([^"]+)"[\s\S]*?subject_kind: ClassVar\[str\] = (\S+)/gu;

/** The jobs that people can see: all but those that are about the team as a whole. */
const seen = readdirSync(HOUSE, { withFileTypes: true })
  .filter(
    (storey) => storey.isDirectory() && readdirSync(join(HOUSE, storey.name)).includes('jobs.py'),
  )
  .flatMap((storey) => [...readFileSync(join(HOUSE, storey.name, 'jobs.py'), 'utf8').matchAll(JOB)])
  .filter(([, , kind]) => kind !== 'HOUSEKEEPING' && kind !== '"team"')
  .map(([, name]) => name!);

describe('the words for jobs', () => {
  it('are there for every job that people can see', () => {
    expect(seen).toContain('uploads.decode');
    expect(seen.length).toBeGreaterThan(15);
    expect(seen.filter((name) => nounOf(name) === name || doingOf(name) === 'under way')).toEqual(
      [],
    );
  });

  it('say of some that nothing is left to lead to', () => {
    expect(['uploads.forget', 'commits.forget', 'uploads.expire'].every(leavesNothing)).toBe(true);
    expect(leavesNothing('uploads.decode')).toBe(false);
  });
});
