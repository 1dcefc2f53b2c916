import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { EmbeddedPanel } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import EmbedDialog from './EmbedDialog';
import { frameLine } from './embed-wording';

const aPanel = (changed: Partial<EmbeddedPanel> = {}): EmbeddedPanel => ({
  id: 'p1',
  service_id: 's1',
  environment_id: 'e1',
  panel: 'latency',
  split_label: null,
  length_s: 14_400,
  until_ms: null,
  expires_at: '2027-02-18T14:06:00Z',
  page_url: 'https://slowpath.example/api/v1/embed/abc',
  image_url: 'https://slowpath.example/api/v1/embed/abc/panel.svg',
  created_at: '2026-11-18T14:06:00Z',
  ...changed,
});

function serve(panels: EmbeddedPanel[], { allowed = true, origins = [] as string[] } = {}) {
  const sent: unknown[] = [];
  server.use(
    http.get(at('/share-settings'), () =>
      HttpResponse.json({
        are_links_allowed: allowed,
        embedding_origins: origins,
        dashboard_url: '',
      }),
    ),
    http.get(at('/embedded-panels'), () => HttpResponse.json({ items: panels })),
    http.post(at('/embedded-panels'), async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(aPanel(), { status: 201 });
    }),
    http.delete(at('/embedded-panels/:id'), ({ params }) => {
      sent.push(params.id);
      panels.pop();
      return new HttpResponse(null, { status: 204 });
    }),
  );
  return sent;
}

const LIVE = { lengthMs: 14_400_000, untilMs: null };
const showDialog = (range: { lengthMs: number; untilMs: number | null } = LIVE) =>
  show(
    <EmbedDialog
      service={{ id: 's1', name: 'Check "out"' }}
      environmentId="e1"
      range={range}
      onClose={() => undefined}
    />,
  );

describe('EmbedDialog', () => {
  it('creates a link for the dashboard range and shows the HTML to copy', async () => {
    const sent = serve([]);
    const { user } = showDialog();
    await enter(user, await screen.findByLabelText('Split by label'), 'route');
    await user.click(screen.getByRole('button', { name: 'Create link' }));
    expect(await screen.findByLabelText('Frame, as HTML')).toHaveValue(
      frameLine(aPanel(), 'Check "out"'),
    );
    expect(screen.getByLabelText('Image')).toHaveValue(aPanel().image_url);
    expect(screen.getByText(/No site may show the frame yet/u)).toBeVisible();
    expect(sent).toEqual([
      {
        service_id: 's1',
        environment_id: 'e1',
        panel: 'latency',
        split_label: 'route',
        length_s: 14_400,
        until: null,
        expires_in_days: 90,
      },
    ]);
  });

  it('creates a link for a fixed time range of at least five minutes', async () => {
    const sent = serve([], { origins: ['https://wiki.example'] });
    const { user } = showDialog({ lengthMs: 60_000, untilMs: Date.UTC(2026, 10, 18, 14) });
    await user.click(await screen.findByRole('button', { name: 'Create link' }));
    await screen.findByLabelText('Image');
    expect(screen.queryByText(/No site may show the frame/u)).toBeNull();
    expect(sent).toMatchObject([{ length_s: 300, until: '2026-11-18T14:00:00.000Z' }]);
  });

  it('lists the links of the service and revokes one', async () => {
    const sent = serve([aPanel({ split_label: 'route' })]);
    const { user } = showDialog();
    const list = await screen.findByRole('region', { name: 'Links to panels of this service' });
    expect(list).toHaveTextContent('Latency by route, last 4 h');
    await user.click(within(list).getByRole('button', { name: /^Show the addresses/u }));
    expect(within(list).getByLabelText('Image')).toBeVisible();
    await user.click(within(list).getByRole('button', { name: /^Revoke/u }));
    await waitFor(() => expect(list).not.toBeInTheDocument());
    expect(sent).toEqual(['p1']);
  });

  it('shows a message when share links are off for the team', async () => {
    serve([], { allowed: false });
    showDialog();
    expect(await screen.findByText(/Share links are off for this team/u)).toBeVisible();
  });

  it('shows the reason when the server rejects the link', async () => {
    serve([]);
    server.use(
      http.post(at('/embedded-panels'), () => problem(429, { detail: 'Too many panels.' })),
    );
    const { user } = showDialog();
    await user.click(await screen.findByRole('button', { name: 'Create link' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Too many panels.');
  });

  it('escapes the service name in the HTML of the frame', () => {
    expect(frameLine(aPanel(), '"><script>')).toContain('title="&quot;>&lt;script>"');
  });
});
