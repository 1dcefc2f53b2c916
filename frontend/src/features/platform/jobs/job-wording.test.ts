import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { activityOf, isWithoutResult, subjectNoun } from './job-wording';

const BACKEND = join(import.meta.dirname, '../../../../../backend/slowpath');
const JOB = /name: ClassVar\[str\] = "([^"]+)"[\s\S]*?subject_kind: ClassVar\[str\] = (\S+)/gu;

/** The jobs that users can see: all except those of the team as a whole. */
const seen = readdirSync(BACKEND, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name === 'jobs.py')
  .flatMap((entry) => [...readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(JOB)])
  .filter(([, , kind]) => kind !== 'HOUSEKEEPING' && kind !== '"team"')
  .map(([, name]) => name!);

describe('Job wording', () => {
  it('exists for every job that users can see', () => {
    expect(seen).toContain('artifacts.decode');
    expect(seen.length).toBeGreaterThan(15);
    expect(
      seen.filter((name) => subjectNoun(name) === name || activityOf(name) === 'in progress'),
    ).toEqual([]);
  });

  it('marks jobs that delete their subject as jobs without a result', () => {
    expect(
      ['artifacts.delete-blobs', 'repositories.delete-mirror', 'artifacts.expire-upload'].every(
        isWithoutResult,
      ),
    ).toBe(true);
    expect(isWithoutResult('artifacts.decode')).toBe(false);
  });
});
