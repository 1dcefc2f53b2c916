import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, describe, expect, it } from 'vitest';
import type { Artifact } from '../api';
import { tray } from '../features/evidence/artifacts';
import { aComparison, anArtifact } from '../testing/api-factories';
import { open } from '../testing/render';
import { at, problem, server } from '../testing/mock-api';

/** Decodes each upload at once, and fails for names with "bomb"; lists artifacts page by page. */
function decoding(pageOf = 200): Artifact[] {
  const kept: Artifact[] = [];
  server.use(
    http.put(at('/artifacts/:name'), ({ params, request }) => {
      const name = String(params.name);
      // A file whose upload was resumed belongs to the batch in which it was started.
      const batch = name.includes('resumed')
        ? 'an-older-drop'
        : new URL(request.url).searchParams.get('batch');
      const bad = name.includes('bomb');
      const error = {
        type: 'urn:slowpath:too-large',
        title: 'Too large',
        status: 422,
        detail: 'Unpacks to 511 MiB, above the limit of 256 MiB per profile.',
        limit: 256,
        value: 511,
        unit: 'bytes',
      };
      const artifact = anArtifact({
        name,
        batch,
        state: bad ? 'invalid' : 'decoded',
        error: bad ? error : null,
      });
      kept.push(artifact);
      return HttpResponse.json({ ...artifact, state: 'received' }, { status: 201 });
    }),
    http.get(at('/artifacts'), ({ request }) => {
      const query = new URL(request.url).searchParams;
      const from = Number(query.get('cursor') ?? 0);
      const asked = kept.filter(({ batch }) => batch === query.get('batch'));
      return HttpResponse.json({
        items: asked.slice(from, from + pageOf),
        next_cursor: from + pageOf < asked.length ? String(from + pageOf) : null,
      });
    }),
  );
  return kept;
}

const file = (name: string) => new File([name], name, { lastModified: 0 });

describe('Upload drawer', () => {
  afterEach(() => tray.clear());

  it('assigns files to sides, shows why one was rejected, and compares the others with one click', async () => {
    const kept = decoding();
    let asked: { base: { artifact_ids: string[] }; candidate: { artifact_ids: string[] } } | null =
      null;
    const made = aComparison({ state: 'waiting', result: null, verdict: null, views: [] });
    server.use(
      http.post(at('/comparisons'), async ({ request }) => {
        asked = (await request.json()) as typeof asked;
        return HttpResponse.json(made, { status: 201 });
      }),
      http.get(at('/comparisons/:id'), () => HttpResponse.json(made)),
    );
    const { user, where } = open('/t/northwind/comparisons');
    await user.click(await screen.findByRole('button', { name: 'Upload' }));
    await user.upload(await screen.findByLabelText('Choose files'), [
      file('229227f-cpu-1.pb.gz'),
      file('9c41e0a-cpu-1.pb.gz'),
      file('9c41e0a-bomb.pb.gz'),
    ]);

    const candidate = await screen.findByRole('region', { name: 'candidate' });
    expect(await within(candidate).findByText('9c41e0a-cpu-1.pb.gz')).toBeInTheDocument();
    expect(await within(candidate).findByRole('alert')).toHaveTextContent(
      'above the limit of 256 MiB',
    );
    expect(within(candidate).getByRole('link', { name: 'Download original' })).toHaveAttribute(
      'href',
      expect.stringContaining('/original?team=northwind'),
    );
    expect(screen.getByText('One rejected; the others are unaffected.')).toBeInTheDocument();

    const compare = screen.getByRole('button', { name: /^Compare/ });
    await waitFor(() => {
      expect(compare).toBeEnabled();
    });
    await user.click(compare);
    await waitFor(() => expect(where()).toContain(`/comparisons/${made.id}`));
    const idOf = (name: string) => kept.find((artifact) => artifact.name === name)?.id;
    expect(asked!.base.artifact_ids).toEqual([idOf('229227f-cpu-1.pb.gz')]);
    expect(asked!.candidate.artifact_ids).toEqual([idOf('9c41e0a-cpu-1.pb.gz')]);
  });

  it('counts files beyond the first page of the server, and a file whose upload was resumed', async () => {
    decoding(2);
    const { user } = open('/t/northwind/comparisons');
    await user.click(await screen.findByRole('button', { name: 'Upload' }));
    await user.upload(await screen.findByLabelText('Choose files'), [
      ...['1', '2', '3'].map((n) => file(`base-${n}.pb`)),
      file('candidate-1.pb'),
      file('candidate-resumed.pb'),
    ]);
    expect(await screen.findByText('5 files · 5 decoded')).toBeInTheDocument();
  });

  it('warns before the page is left while files are not sent yet', async () => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    server.use(
      http.put(at('/artifacts/:name'), async () => {
        await arrived;
        return HttpResponse.json(anArtifact({ batch: 'b' }), { status: 201 });
      }),
      http.get(at('/artifacts'), () => HttpResponse.json({ items: [], next_cursor: null })),
    );
    const tryToLeave = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    const { user } = open('/t/northwind/comparisons');
    await user.click(await screen.findByRole('button', { name: 'Upload' }));
    expect(tryToLeave()).toBe(false);
    await user.upload(await screen.findByLabelText('Choose files'), file('cpu.pb'));
    expect(tryToLeave()).toBe(true);
    arrive();
    await waitFor(() => expect(tryToLeave()).toBe(false));
  });

  it('shows why run metadata could not be saved', async () => {
    decoding();
    server.use(
      http.patch(at('/artifacts/:id'), () => problem(422, { detail: 'No requests can be minus.' })),
    );
    const { user } = open('/t/northwind/comparisons');
    await user.click(await screen.findByRole('button', { name: 'Upload' }));
    await user.upload(await screen.findByLabelText('Choose files'), file('cpu.pb'));
    await screen.findByText('1 file · 1 decoded');
    const [sent] = tray.snapshot().items;
    tray.giveFacts(sent!.key, { requests: -1 });
    expect(await screen.findByRole('alert')).toHaveTextContent('metadata: No requests can be');
  });

  it('moves a file to the other side from a menu that opens by keyboard', async () => {
    decoding();
    const { user } = open('/t/northwind/comparisons');
    await user.click(await screen.findByRole('button', { name: 'Upload' }));
    await user.upload(await screen.findByLabelText('Choose files'), [
      file('cpu.1.pb'),
      file('cpu.2.pb'),
      file('cpu.3.pb'),
    ]);
    const menu = await screen.findByRole('button', { name: 'Actions for cpu.3.pb' });
    menu.focus();
    await user.keyboard('{Enter}');
    // `hidden: true`: without layout in jsdom, the position of the menu is not computed and it
    // stays hidden.
    await user.click(
      await screen.findByRole('menuitem', { name: 'Move to candidate', hidden: true }),
    );
    expect(
      within(screen.getByRole('region', { name: 'candidate' })).getByText('cpu.3.pb'),
    ).toBeInTheDocument();
  });
});
