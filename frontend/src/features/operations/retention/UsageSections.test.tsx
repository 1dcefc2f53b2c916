import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { UsageSections } from './UsageSections';

const MIB = 1024 * 1024;

const usage = (changed: Partial<Usage> = {}): Usage => ({
  files: 12,
  bytes: 30 * MIB,
  kinds: [
    { name: 'profile.cpu', files: 2, bytes: 10 * MIB },
    { name: 'trace', files: 10, bytes: 20 * MIB },
  ],
  services: [{ service_id: null, name: null, files: 12, bytes: 30 * MIB }],
  ages: [
    { days: 7, files: 4, bytes: 5 * MIB },
    { days: 30, files: 7, bytes: 20 * MIB },
    { days: null, files: 1, bytes: 5 * MIB },
  ],
  folders: [],
  counted_at: null,
  deleted_blobs: 0,
  days: [],
  limits: [],
  ...changed,
});

const serve = (changed?: Partial<Usage>) =>
  server.use(http.get(at('/usage'), () => HttpResponse.json(usage(changed))));

const list = async (name: string) =>
  within(await screen.findByRole('list', { name }))
    .getAllByRole('listitem')
    .map((item) => item.textContent);

describe('UsageSections', () => {
  it('lists usage by kind, largest first, by age in order of time, and by service', async () => {
    serve();
    show(<UsageSections />);
    expect(await list('By kind')).toEqual([
      'Execution traces20.0 MiB10 artifacts',
      'CPU profiles10.0 MiB2 artifacts',
    ]);
    expect(await list('By age')).toEqual([
      'up to 7 days5.00 MiB4 artifacts',
      '8 to 30 days20.0 MiB7 artifacts',
      'older than 30 days5.00 MiB1 artifact',
    ]);
    expect(await list('By service')).toEqual(['No build30.0 MiB12 artifacts']);
  });

  it('shows one sum for all services after the first twelve', async () => {
    serve({
      services: Array.from({ length: 15 }, (_, index) => ({
        service_id: String(index),
        name: `service ${index}`,
        files: 2,
        bytes: (20 - index) * MIB,
      })),
    });
    show(<UsageSections />);
    const services = await list('By service');
    expect(services).toHaveLength(13);
    expect(services).toContain('3 other services21.0 MiB6 artifacts');
    expect(services.join()).not.toContain('service 12');
  });

  it('shows an empty state instead of lists if there are no uploads', async () => {
    serve({ files: 0, bytes: 0, kinds: [], services: [], ages: [] });
    show(<UsageSections />);
    expect(await screen.findByText('No uploads yet.')).toBeInTheDocument();
    expect(screen.queryByRole('list', { name: 'By kind' })).not.toBeInTheDocument();
  });

  it('warns near a limit, and shows at the limit that uploads are rejected', async () => {
    serve({
      limits: [
        { resource: 'bytes', used: 95 * MIB, limit: 100 * MIB, state: 'near-limit' },
        { resource: 'series', used: 1000, limit: 1000, state: 'reached' },
      ],
    });
    show(<UsageSections />);
    expect(await screen.findByText(/^95.0 MiB of 100 MiB storage used/)).toHaveTextContent(
      'Shorten the retention, or ask the operator',
    );
    expect(screen.getByText(/^1,000 of 1,000 series used/)).toHaveTextContent(
      'Uploads are rejected until usage is below the limit.',
    );
  });

  it('shows no limit that is not near', async () => {
    serve({
      limits: [{ resource: 'bytes', used: MIB, limit: 100 * MIB, state: 'ok' }],
    });
    show(<UsageSections />);
    await list('By kind');
    expect(screen.queryByText('Limits')).not.toBeInTheDocument();
  });

  it('lists usage by type when it was counted, without empty types', async () => {
    serve({
      counted_at: '2026-11-20T08:00:00Z',
      deleted_blobs: 3,
      folders: [
        { name: 'originals', files: 10, bytes: 20 * MIB },
        { name: 'exports', files: 0, bytes: 0 },
        { name: 'profiles', files: 4, bytes: 2 * MIB },
      ],
    });
    show(<UsageSections />);
    expect(await list('By type')).toEqual([
      'Original files20.0 MiB10 blobs',
      'Profiles, decoded2.00 MiB4 blobs',
    ]);
    expect(screen.getByText(/3 blobs in the last run/)).toBeInTheDocument();
  });

  it('reloads with Try again if the usage could not be loaded', async () => {
    let requests = 0;
    server.use(
      http.get(at('/usage'), () => {
        requests += 1;
        return requests === 1
          ? problem(403, { title: 'Refused', detail: 'The session has expired.' })
          : HttpResponse.json(usage());
      }),
    );
    const { user } = show(<UsageSections />);
    await user.click(await screen.findByRole('button', { name: 'Try again' }));
    expect(await list('By kind')).toHaveLength(2);
    expect(screen.queryByText('The session has expired.')).not.toBeInTheDocument();
  });
});
