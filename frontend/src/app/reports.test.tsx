import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Report } from '../api';
import { aReport, aSnapshot, aText } from '../testing/report-fixtures';
import { writeReportBundle } from '../testing/report-bundle-writer';
import { BISECT, aBisect } from '../testing/bisect-fixtures';
import { aComparison, aResult } from '../testing/api-factories';
import { open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';

const AT = '2026-11-18T14:06:00Z';
const PATH = '/comparisons';

const comparison = aComparison({ views: [], artifact_kinds: [] });
const view = aSnapshot({
  path: `${PATH}/${comparison.id}`,
  note: 'Look at **Clone**.',
});
const prose = aText({ markdown: 'It is <b>not</b> inlined.' });

const recorded = (report: object, answer: unknown = comparison) =>
  new HttpResponse(
    writeReportBundle(report, [
      {
        block: view.id,
        request: view.path,
        mediaType: 'application/json',
        bytes: new TextEncoder().encode(JSON.stringify(answer)),
      },
    ]),
    { headers: { 'Content-Type': 'application/octet-stream' } },
  );

function serve(report: Report): void {
  server.use(
    http.get(at('/reports/:id'), () => HttpResponse.json(report)),
    http.get(at('/reports/:id/bundle'), () => recorded(report)),
    http.get(at('/reports/:id/versions'), () => HttpResponse.json([])),
  );
}

describe('Report page', () => {
  it('shows a snapshot of a comparison from the report bundle, without its action buttons', async () => {
    serve(aReport({ blocks: [view, prose] }));
    open('/t/northwind/reports/r1');
    const part = await screen.findByRole('region', { name: 'The comparison' });
    expect(await within(part).findByRole('list', { name: /^findings/i })).toBeInTheDocument();
    expect(await within(part).findByText('Clone', { selector: 'strong' })).toBeInTheDocument();
    expect(within(part).queryByRole('button', { name: /Swap|Export|Add to report/ })).toBeNull();
    expect(document.title).toBe('Why stacks grow · Slowpath');
    // There is one heading of the first level: that of the report.
    expect(screen.getAllByRole('heading', { level: 1 })).toHaveLength(1);
    expect(await screen.findByText(/is .*not.* inlined/)).toBeInTheDocument();
  });

  it('moves the focus to another part when its link is clicked, and keeps the address', async () => {
    const bisect = aBisect({ comparison_id: comparison.id });
    const first = { ...view, id: 'b0', title: 'The bisect', path: `/bisects/${BISECT}` };
    const report = aReport({ blocks: [first, view] });
    serve(report);
    server.use(
      http.get(
        at('/reports/:id/bundle'),
        () =>
          new HttpResponse(
            writeReportBundle(report, [
              {
                block: first.id,
                request: first.path,
                mediaType: 'application/json',
                bytes: new TextEncoder().encode(JSON.stringify(bisect)),
              },
            ]),
            { headers: { 'Content-Type': 'application/octet-stream' } },
          ),
      ),
    );
    Element.prototype.scrollIntoView = () => undefined;
    const { user, where } = open('/t/northwind/reports/r1');
    await user.click(await screen.findByRole('link', { name: 'comparison' }));
    expect(screen.getByRole('region', { name: 'The comparison' })).toHaveFocus();
    expect(where()).toBe('/t/northwind/reports/r1');
  });

  it('shows a message in place of a page that the report bundle does not contain', async () => {
    serve(aReport({ blocks: [{ ...view, path: '/comparisons/other' }] }));
    open('/t/northwind/reports/r1');
    expect(await screen.findByText(/Not included in this report/)).toBeInTheDocument();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('reorders parts by keyboard, adds text, and shows that a concurrent edit prevented saving', async () => {
    serve(aReport({ blocks: [view, prose] }));
    const sent: unknown[] = [];
    server.use(
      http.patch(at('/reports/:id'), async ({ request }) => {
        sent.push(await request.json());
        return sent.length < 3
          ? HttpResponse.json(aReport({ blocks: [prose, view] }))
          : problem(409, {
              title: 'The report was changed by another user',
              detail: 'Read it again.',
            });
      }),
    );
    const { user } = open('/t/northwind/reports/r1');
    const down = await screen.findByRole('button', { name: 'Move down: The comparison' });
    down.focus();
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
    await waitFor(() =>
      expect(sent[0]).toEqual({ blocks: [{ id: 'b2' }, { id: 'b1' }], updated_at: AT }),
    );
    await user.click(screen.getByRole('button', { name: 'Add text at the top' }));
    await user.type(screen.getByRole('textbox', { name: 'Text' }), 'First.');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => {
      expect(sent[1]).toMatchObject({
        blocks: [{ kind: 'text', markdown: 'First.' }, { id: 'b2' }, { id: 'b1' }],
      });
    });
    await user.click(await screen.findByRole('button', { name: 'Move down: text, part 1' }));
    expect(await screen.findByText('Could not save the changes')).toBeInTheDocument();
  });

  it('restores unsaved text after reopening, and discards it on Cancel', async () => {
    serve(aReport({ blocks: [view, prose] }));
    const first = open('/t/northwind/reports/r1');
    await first.user.click(await screen.findByRole('button', { name: 'Add text at the top' }));
    await first.user.type(screen.getByRole('textbox', { name: 'Text' }), 'Half a tho');
    expect(screen.getByRole('button', { name: 'Remove: The comparison' })).toBeDisabled();
    first.unmount();
    const second = open('/t/northwind/reports/r1');
    expect(await screen.findByRole('textbox', { name: 'Text' })).toHaveValue('Half a tho');
    await second.user.click(screen.getByRole('button', { name: 'Cancel' }));
    await second.user.click(await screen.findByRole('button', { name: 'Add text after part 1' }));
    expect(screen.getByRole('textbox', { name: 'Text' })).toHaveValue('');
  });
});

describe('"Add to report" dialog', () => {
  it('records the requests of the page, except those for reports, session and comments', async () => {
    const asked: {
      title: string;
      path: string;
      requests: string[];
      additional_requests: string[];
    }[] = [];
    server.use(
      http.get(at('/comparisons/:id'), () => HttpResponse.json(comparison)),
      http.get(at('/reports'), () => page([])),
      http.post(at('/reports'), () => HttpResponse.json(aReport(), { status: 201 })),
      http.post(at('/reports/:id/snapshots'), async ({ request }) => {
        asked.push((await request.json()) as (typeof asked)[0]);
        return HttpResponse.json(view, { status: 201 });
      }),
    );
    const { user } = open(`/t/northwind/comparisons/${comparison.id}?finding=0`);
    await screen.findByRole('heading', { level: 1 });
    const title = comparison.name;
    await user.click(await screen.findByRole('button', { name: 'Add to report' }));
    const dialog = await screen.findByRole('dialog', { name: 'Add to report' });
    await within(dialog).findByLabelText('Name of the new report');
    await user.click(within(dialog).getByRole('button', { name: 'Add snapshot' }));
    expect(await within(dialog).findByRole('status')).toHaveTextContent('Snapshot added');
    expect(asked[0]?.title).toBe(title);
    expect(asked[0]?.requests).toContain(`/comparisons/${comparison.id}`);
    expect(asked[0]?.path).toMatch(new RegExp(`^/comparisons/${comparison.id}\\?finding=`));
    expect([...asked[0]!.requests, ...asked[0]!.additional_requests].join(' ')).not.toMatch(
      /reports|session|comments/,
    );
  });

  it('adds one opened finding, and deletes the new report when adding fails', async () => {
    const asked: { title: string; path: string }[] = [];
    const deleted: unknown[] = [];
    server.use(
      http.get(at('/comparisons/:id'), () => HttpResponse.json(comparison)),
      http.get(at('/reports'), () => page([])),
      http.post(at('/reports'), () => HttpResponse.json(aReport(), { status: 201 })),
      http.delete(at('/reports/:id'), ({ params }) => {
        deleted.push(params.id);
        return new HttpResponse(null, { status: 204 });
      }),
      http.post(at('/reports/:id/snapshots'), async ({ request }) => {
        asked.push((await request.json()) as (typeof asked)[0]);
        return asked.length === 1
          ? problem(503, { title: 'Other pages are being frozen' })
          : HttpResponse.json(view, { status: 201 });
      }),
    );
    const { user } = open(`/t/northwind/comparisons/${comparison.id}`);
    await user.click(await screen.findByRole('button', { name: 'Explain finding 1' }));
    await user.click(await screen.findByRole('button', { name: 'Add this finding to a report' }));
    const dialog = await screen.findByRole('dialog', { name: 'Add to report' });
    await within(dialog).findByLabelText('Name of the new report');
    const add = within(dialog).getByRole('button', { name: 'Add snapshot' });
    await user.click(add);
    expect(await within(dialog).findByText('Could not add the page')).toBeInTheDocument();
    expect(deleted).toEqual(['r1']);
    await user.click(add);
    expect(await within(dialog).findByRole('status')).toHaveTextContent('Snapshot added');
    expect(deleted).toHaveLength(1);
    const { title, path } = asked[1]!;
    expect(title).toBe(aResult().findings[0]?.sentence);
    expect(new URLSearchParams(path.split('?')[1]).get('find')).toBe('0');
    expect(new URLSearchParams(path.split('?')[1]).get('open')).toBe('true');
  });
});

describe('Shared report', () => {
  const report = {
    number: 4,
    title: 'Why stacks grow',
    version: 2,
    updated_at: AT,
    published_at: AT,
    team: 'Northwind',
    expires_at: '2026-12-18T14:06:00Z',
    created_by: 'person-1',
    blocks: [view],
  };

  it('is shown without signing in, with its team and expiry date', async () => {
    server.use(
      http.get(at('/session'), () => problem(401, {})),
      http.get(at('/shared/:secret'), () => recorded(report)),
    );
    open('/s/secret');
    expect(await screen.findByText('Shared by Northwind')).toBeInTheDocument();
    expect(await screen.findByRole('list', { name: /^findings/i })).toBeInTheDocument();
    expect(screen.getByText(/expires/)).toBeInTheDocument();
    expect(screen.queryByRole('banner')).toBeNull();
  });

  it('shows that the share link has expired or was revoked, without the team name', async () => {
    server.use(http.get(at('/shared/:secret'), () => problem(410, { detail: 'revoked' })));
    open('/s/secret');
    expect(
      await screen.findByRole('heading', { name: 'This link has expired or was revoked' }),
    ).toBeInTheDocument();
    expect(screen.queryByText(/Northwind/)).toBeNull();
  });
});
