import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Artifact } from '../../../api';
import { anArtifact } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { UploadDrawerRow } from './UploadDrawerRow';
import type { TrayItem } from './tray-types';

const anItem = (changed: Partial<TrayItem> = {}): TrayItem => ({
  key: 'k1',
  name: 'cpu.pb.gz',
  path: 'new/cpu.pb.gz',
  file: new File(['x'.repeat(2048)], 'cpu.pb.gz'),
  sizeBytes: 2048,
  modified: 0,
  drop: 0,
  side: 'base',
  placed: false,
  phase: 'sent',
  sentBytes: 2048,
  error: null,
  artifactId: 'a1',
  batch: null,
  facts: {},
  ...changed,
});

const row = (item: Partial<TrayItem>, artifact: Partial<Artifact> | null) =>
  show(
    <UploadDrawerRow
      item={anItem(item)}
      artifact={artifact && anArtifact({ id: 'a1', ...artifact })}
      siblings={[]}
      selected={false}
      onToggle={() => undefined}
    />,
  );

const text = () => screen.getByRole('listitem').textContent;

describe('UploadDrawerRow', () => {
  it.each<[string, Partial<TrayItem>, Partial<Artifact> | null, string]>([
    [
      'waiting',
      { phase: 'waiting' },
      null,
      'cpu.pb.gzwaitingtype detected from contentnew2.00 KiB',
    ],
    [
      'being sent',
      { phase: 'sending', sentBytes: 1024 },
      null,
      'cpu.pb.gz1.00 KiB of 2.00 KiBtype detected from contentnew2.00 KiB',
    ],
    ['received', {}, null, 'cpu.pb.gzreceivedtype detected from contentnew2.00 KiB'],
    [
      'being decoded',
      {},
      { state: 'decoding', progress: 0.614 },
      'cpu.pb.gzdecoding, 61%CPU profile, 30 s, 100 Hz, go1.26.3new2.00 KiB',
    ],
    [
      'decoded',
      {},
      { run_metadata: { requests: 12_345 } },
      'cpu.pb.gzdecodedCPU profile, 30 s, 100 Hznew2.00 KiB · 12,345 requests',
    ],
  ])('shows that a file is %s', (_, item, artifact, words) => {
    row(item, artifact);
    expect(text()).toContain(words);
  });

  it.each<[string, Partial<TrayItem>, Partial<Artifact> | null, string]>([
    ['sending', { phase: 'sending', sentBytes: 512 }, null, '25'],
    [
      'sending an empty file',
      { phase: 'sending', sentBytes: 0, file: new File([], 'cpu.pb.gz') },
      null,
      '0',
    ],
    ['decoding', {}, { state: 'decoding', progress: 0.614 }, '61'],
  ])('shows the progress of %s as a progress bar', (_, item, artifact, percent) => {
    row(item, artifact);
    const bar = screen.getByRole('progressbar', { name: /^cpu\.pb\.gz/u });
    expect(bar).toHaveAttribute('aria-valuenow', percent);
  });

  it('shows why a file was rejected, and why the server rejected Try again', async () => {
    const error = {
      type: 'x',
      title: 'x',
      status: 422,
      detail: 'It is no pprof file.',
      resolution: 'Record it again.',
    };
    let refused = true;
    server.use(
      http.post(at('/artifacts/a1/retry'), () =>
        refused
          ? problem(409, { title: 'Not possible', detail: 'Its original was deleted.' })
          : HttpResponse.json(anArtifact({ id: 'a1', state: 'received' })),
      ),
    );
    const { user } = row({}, { state: 'invalid', profile: null, error });
    expect(screen.getByRole('alert')).toHaveTextContent(
      'It is no pprof file. Record it again. The original file is stored.',
    );
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(
      await screen.findByText('Could not try again: Its original was deleted.'),
    ).toHaveAttribute('role', 'alert');
    refused = false;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(screen.queryByText(/^Could not try again/u)).toBeNull());
  });

  it('shows why a file was not sent, without a download of the original', () => {
    row({ phase: 'stopped', artifactId: null, error: new Error('The line broke.') }, null);
    expect(screen.getByRole('alert')).toHaveTextContent(/^The line broke\.\s*$/u);
    expect(screen.queryByRole('link', { name: 'Download original' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Remove' })).toBeInTheDocument();
  });
});
