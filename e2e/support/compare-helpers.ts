// Steps of several journeys: uploads files on the page, and compares through the API.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { type APIRequestContext, expect, type Locator, type Page } from '@playwright/test';

import { api, type Person, succeeded } from './users';

export type Dropped = { name: string; mimeType: string; buffer: Buffer };

const example = join(import.meta.dirname, '../../worker/example/artifacts');

/** Returns at most `most` CPU profiles of a variant of the example, with their metadata files. */
export function exampleFiles(variant: string, most = 10): Dropped[] {
  const names = readdirSync(join(example, variant)).filter((name) => name.startsWith('cpu.'));
  const profiles = names.filter((name) => name.endsWith('.pb.gz')).slice(0, most);
  return profiles
    .flatMap((name) => [name, `${name}.facts.json`])
    .map((name) => file(`${variant}-${name}`, readFileSync(join(example, variant, name))));
}

export function file(name: string, buffer: Buffer): Dropped {
  return { name, mimeType: 'application/octet-stream', buffer };
}

/** Returns the flame graph of the page when its frames are drawn: before, keys have no effect. */
export async function flameGraph(page: Page, name = 'Diff flame graph'): Promise<Locator> {
  const graph = page.getByRole('application', { name }).first();
  await expect(graph).toHaveAttribute('aria-busy', 'false', {
    timeout: 20_000,
  });
  await expect
    .poll(() => graph.locator('canvas').evaluate(coloursOf), {
      message: 'nothing is drawn',
    })
    .toBeGreaterThan(3);
  return graph;
}

/** Runs in the page. Returns the number of colors of a canvas; one if nothing is drawn. */
function coloursOf(canvas: HTMLCanvasElement | SVGElement): number {
  if (!(canvas instanceof HTMLCanvasElement) || canvas.width * canvas.height === 0) return 0;
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(pixels?.data.buffer ?? new ArrayBuffer(0))).size;
}

/** Opens the upload drawer and chooses files. */
export async function choose(page: Page, files: Dropped[]): Promise<void> {
  const drawer = page.getByRole('complementary', { name: 'Upload' });
  if (!(await drawer.isVisible())) {
    await page
      .getByRole('button', { name: /^upload/i })
      .first()
      .click();
  }
  await page.getByLabel('Choose files').setInputFiles(files);
}

/** Uploads both sides through the API and waits for the comparison; returns its id. */
export async function compared(
  request: APIRequestContext,
  baseURL: string,
  sides: { base: Dropped[]; candidate: Dropped[] },
): Promise<string> {
  const headers = { Origin: new URL(baseURL).origin };
  const upload = async (files: Dropped[]) => {
    const ids: string[] = [];
    const profiles = files.filter(({ name }) => !name.endsWith('.facts.json'));
    for (const { name, buffer } of profiles) {
      const facts = files.find((other) => other.name === `${name}.facts.json`);
      const query = facts
        ? `?run_metadata=${encodeURIComponent(facts.buffer.toString('utf8'))}`
        : '';
      const path = `${api}/artifacts/${encodeURIComponent(name)}${query}`;
      const answer = await succeeded(await request.put(path, { data: buffer, headers }));
      ids.push(((await answer.json()) as { id: string }).id);
    }
    return ids;
  };
  const data = {
    base: { artifact_ids: await upload(sides.base) },
    candidate: { artifact_ids: await upload(sides.candidate) },
  };
  const made = await succeeded(await request.post(`${api}/comparisons`, { data, headers }));
  const { id } = (await made.json()) as { id: string };
  await expect
    .poll(
      async () =>
        (
          (await (await request.get(`${api}/comparisons/${id}`)).json()) as {
            state: string;
          }
        ).state,
      { timeout: 30_000 },
    )
    .toBe('done');
  return id;
}

export const pathOf = (person: Person, rest: string) => `/t/${person.team.slug}${rest}`;
