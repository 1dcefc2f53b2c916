import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Artifact } from '../../../api';
import { anArtifact } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { ArtifactDetail } from './ArtifactDetail';

const REFUSED = {
  type: 'x',
  title: 'Not a profile',
  status: 422,
  detail: 'It is no pprof file.',
  resolution: 'Record it again.',
};

async function detail(changed: Partial<Artifact> = {}, mayWrite = true) {
  const artifact = anArtifact({ id: 'a1', ...changed });
  server.use(http.get(at('/artifacts/a1'), () => HttpResponse.json(artifact)));
  const gone: true[] = [];
  const shown = show(
    <ArtifactDetail
      id="a1"
      back={null}
      onGone={() => gone.push(true)}
      mayWrite={mayWrite}
      build={({ build_id }) => build_id ?? 'none'}
      summary={() => 'the summary'}
      evidence={() => null}
    />,
  );
  await screen.findByRole('heading', { level: 1, name: artifact.name });
  return { ...shown, gone };
}

const section = (name: string) =>
  screen.getByRole('heading', { name: new RegExp(`^${name}`, 'u') }).closest('section')!;

describe('ArtifactDetail', () => {
  it('shows type, state, size, summary and download link of a profile', async () => {
    await detail();
    expect(screen.getByText('CPU profile, 30 s, 100 Hz, go1.26.3')).toBeInTheDocument();
    expect(section('Artifact')).toHaveTextContent(
      /state\s?decoded\s?size\s?14\.6 KiB \(14,948 bytes\)/u,
    );
    expect(screen.getByText('the summary')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Download original' })).toHaveAttribute(
      'href',
      expect.stringContaining('/artifacts/a1/'),
    );
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it.each([
    [{ requests: 12_345 }, /requests served\s?12,345/u],
    [{ wall_ns: 30_000_000_000 }, /wall time\s?30 s/u],
    [{ cpu_ns: 1_500_000 }, /CPU time\s?1\.50 ms/u],
    [{ wall_ns: 0 }, /wall time\s?0 ns/u],
    [{ go_version: 'go1.26.3' }, /^(?!.*GOMAXPROCS).*Go version\s?go1\.26\.3/u],
    [{}, /No run metadata\./u],
  ])('shows the run metadata %o', async (run_metadata, text) => {
    await detail({ run_metadata });
    expect(section('Run')).toHaveTextContent(text);
  });

  it.each([
    ['invalid', 'rejected', 'Rejected'],
    ['failed', 'failed', 'Failed'],
  ] as const)('shows why an artifact is %s, and offers Try again', async (state, word, what) => {
    await detail({ state, error: REFUSED, profile: null });
    expect(section('Artifact')).toHaveTextContent(new RegExp(`state\\s?${word}`, 'u'));
    expect(screen.getByRole('alert')).toHaveTextContent(
      `${what} · It is no pprof file.Record it again.`,
    );
    expect(screen.getByRole('button', { name: 'Try again' })).toBeEnabled();
  });

  it('decodes the artifact again with Try again, and shows why it was rejected', async () => {
    let refused = true;
    server.use(
      http.post(at('/artifacts/a1/retry'), () => {
        if (refused) return problem(409, { title: 'Not possible', detail: 'No memory is free.' });
        const again = anArtifact({ id: 'a1', state: 'decoding', progress: 0.1 });
        server.use(http.get(at('/artifacts/a1'), () => HttpResponse.json(again)));
        return HttpResponse.json(again);
      }),
    );
    const { user } = await detail({ state: 'failed', profile: null });
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('No memory is free.');
    refused = false;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(section('Artifact')).toHaveTextContent(/state\s?decoding/u));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('keeps other run metadata when requests and Go version are saved', async () => {
    const sent: unknown[] = [];
    server.use(
      http.patch(at('/artifacts/a1'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(anArtifact({ id: 'a1' }));
      }),
    );
    const { user } = await detail({ run_metadata: { commit: 'abc', go_version: 'go1.25.0' } });
    await enter(user, screen.getByLabelText('Requests during recording'), '12345');
    await user.clear(screen.getByLabelText('Go version'));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(JSON.stringify(sent[0])).toContain('"commit":"abc"');
    expect(JSON.stringify(sent[0])).toContain('"requests":12345');
    expect(JSON.stringify(sent[0])).toContain('"go_version":null');
  });

  it('deletes the artifact only after confirmation', async () => {
    server.use(http.delete(at('/artifacts/a1'), () => new HttpResponse(null, { status: 204 })));
    const { user, gone } = await detail();
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete cpu.pb.gz?' });
    expect(gone).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Delete artifact' }));
    await waitFor(() => expect(gone).toEqual([true]));
  });

  it('shows viewers neither actions nor a form', async () => {
    await detail({ state: 'failed', profile: null }, false);
    expect(screen.queryByRole('button')).toBeNull();
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  it('shows why the artifact cannot be loaded, and offers Try again', async () => {
    server.use(
      http.get(at('/artifacts/a1'), () =>
        problem(404, { title: 'Not found', detail: 'The team has no such artifact.' }),
      ),
    );
    show(
      <ArtifactDetail
        id="a1"
        back={null}
        onGone={() => undefined}
        mayWrite
        build={() => null}
        summary={() => null}
        evidence={() => null}
      />,
    );
    expect(await screen.findByRole('alert')).toHaveTextContent('The team has no such artifact.');
    expect(screen.getByRole('button', { name: 'Try again' })).toBeInTheDocument();
  });
});
