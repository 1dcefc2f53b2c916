import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { screen, within } from '@testing-library/react';
import { http } from 'msw';
import { describe, expect, it } from 'vitest';
import { aJob } from '../testing/api-factories';
import { at, page, server } from '../testing/mock-api';
import { open } from '../testing/render';

const BACKEND = join(import.meta.dirname, '../../../backend/slowpath');

/** The kinds of the subjects of jobs that users can see: all except the team as a whole. */
const kinds = new Set(
  readdirSync(BACKEND, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === 'jobs.py')
    .flatMap((entry) => [
      ...readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(
        /subject_kind: ClassVar\[str\] = "([^"]+)"/gu,
      ),
    ])
    .map(([, kind]) => kind!)
    .filter((kind) => kind !== 'team'),
);

const idOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;

async function subjects(name: string | null): Promise<string[]> {
  const jobs = [...kinds].map((kind, at) =>
    aJob({ id: idOf(at), subject: { kind, id: idOf(at), name } }),
  );
  server.use(http.get(at('/jobs'), () => page(jobs)));

  open('/t/northwind/jobs');
  const table = await screen.findByRole('table', { name: 'Jobs' });
  const rows = within(table).getAllByRole('row').slice(1);
  return rows.map((row) => within(row).getAllByRole('cell')[1]!.textContent);
}

describe('Subject of a job', () => {
  it('is shown by its name for every kind of subject', async () => {
    expect(kinds.size).toBeGreaterThan(15);
    expect(new Set(await subjects('Its name'))).toEqual(new Set(['Its name']));
  });

  it('is described in words, not by its API kind, if it has no name', async () => {
    expect((await subjects(null)).filter((words) => kinds.has(words))).toEqual([]);
  });

  it('links to the profile set of opened profiles', async () => {
    await subjects('cpu.pprof and 2 more');
    const links = screen.getAllByRole('link', { name: 'cpu.pprof and 2 more' });
    const paths = links.map((link) => link.getAttribute('href') ?? '');
    expect(paths.some((path) => path.startsWith('/t/northwind/profile-sets/'))).toBe(true);
  });
});
