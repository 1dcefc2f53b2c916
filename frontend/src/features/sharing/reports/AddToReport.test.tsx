import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { aReport, aSnapshot, aText } from '../../../testing/report-fixtures';
import { show } from '../../../testing/render';
import AddToReport, { type AddToReportProps } from './AddToReport';

const HEAP = aReport({ id: 'r2', title: 'Heap growth', blocks: [aText()] });

/**
 * Serves the reports and accepts each snapshot; returns the bodies that were sent, with the ids of
 * the reports.
 */
function serve(reports: Report[], responses: object[] = []): [string, Record<string, unknown>][] {
  const sent: [string, Record<string, unknown>][] = [];
  server.use(
    http.get(at('/reports'), () => page(reports)),
    http.post(at('/reports/:id/snapshots'), async ({ request, params }) => {
      sent.push([String(params.id), (await request.json()) as Record<string, unknown>]);
      return HttpResponse.json(aSnapshot({ responses: responses as never }), { status: 201 });
    }),
  );
  return sent;
}

const showButton = (props: Partial<AddToReportProps> = {}) => {
  document.title = 'A comparison · Slowpath';
  return show(
    <main>
      <h1>Regressed: 32% more CPU</h1>
      <AddToReport
        path={() => '/comparisons/c1?find=0'}
        reportLink={(id, words) => <a href={`#${id}`}>{words}</a>}
        {...props}
      />
    </main>,
  );
};

async function openDialog(user: ReturnType<typeof show>['user']) {
  await user.click(screen.getByRole('button', { name: 'Add to report' }));
  await screen.findByRole('radio', { name: 'New report' });
}

describe('AddToReport', () => {
  it('selects the newest report by default and adds the page to the selected one', async () => {
    const sent = serve([aReport(), HEAP]);
    const { user } = showButton();
    await openDialog(user);
    expect(screen.getByRole('radio', { name: 'Why stacks grow' })).toBeChecked();
    expect(screen.getByRole('radio', { name: 'Heap growth' })).toHaveAccessibleDescription(
      '1 part',
    );
    expect(screen.queryByRole('textbox', { name: 'Name of the new report' })).toBeNull();
    await user.click(screen.getByRole('radio', { name: 'Heap growth' }));
    await user.click(screen.getByRole('button', { name: 'Add snapshot' }));
    const done = await screen.findByRole('status');
    expect(done).toHaveTextContent(
      'Snapshot added. It is the last part of Heap growth and does not change,',
    );
    expect(screen.getByRole('link', { name: 'Heap growth' })).toHaveAttribute('href', '#r2');
    expect(sent).toMatchObject([
      ['r2', { title: 'A comparison', path: '/comparisons/c1?find=0', requests: [] }],
    ]);
  });

  it('offers the six newest reports and a new one', async () => {
    serve(Array.from({ length: 9 }, (_, at) => aReport({ id: `r${at}`, title: `Report ${at}` })));
    const { user } = showButton();
    await openDialog(user);
    expect(screen.getAllByRole('radio')).toHaveLength(7);
    expect(screen.getByRole('radio', { name: 'Report 5' })).toBeInTheDocument();
  });

  it('requires a title, and a name for a new report, which starts as the page heading', async () => {
    serve([aReport()]);
    const { user } = showButton();
    await openDialog(user);
    const add = screen.getByRole('button', { name: 'Add snapshot' });
    const title = screen.getByRole('textbox', { name: 'Title in the report' });
    await user.clear(title);
    expect(add).toHaveAttribute('title', 'Enter a title');
    await user.type(title, 'x');
    await user.click(screen.getByRole('radio', { name: 'New report' }));
    const name = screen.getByRole('textbox', { name: 'Name of the new report' });
    expect(name).toHaveValue('Regressed: 32% more CPU');
    await user.clear(name);
    expect(add).toBeDisabled();
    expect(add).toHaveAttribute('title', 'Enter a name for the new report');
  });

  it('waits until the page has fixed its time range before it reads the path', async () => {
    const sent = serve([aReport()]);
    let path = '/dashboard?range=1h';
    const { user } = showButton({
      hold: async () => {
        await Promise.resolve();
        path = '/dashboard?from=1&to=2';
      },
      path: () => path,
      also: () => Promise.resolve(['/builds/b1', '/session']),
    });
    await openDialog(user);
    await user.click(screen.getByRole('button', { name: 'Add snapshot' }));
    await screen.findByRole('status');
    // Requests that a report may not contain are left out: the session is not sent.
    expect(sent).toEqual([
      [
        'r1',
        {
          title: 'A comparison',
          path: '/dashboard?from=1&to=2',
          requests: [],
          additional_requests: ['/builds/b1'],
        },
      ],
    ]);
  });

  it('shows how much of the page did not fit', async () => {
    serve([aReport()]);
    const { user } = showButton({ also: () => Promise.resolve(['/builds/b1', '/builds/b2']) });
    await openDialog(user);
    await user.click(screen.getByRole('button', { name: 'Add snapshot' }));
    expect(await screen.findByRole('status')).toHaveTextContent(
      '2 more items of this page exceed the limit of a snapshot and are shown as missing.',
    );
  });

  it('keeps the form open with the reason when the server rejects the snapshot', async () => {
    serve([aReport()]);
    server.use(
      http.post(at('/reports'), () => HttpResponse.json(aReport({ id: 'r9' }), { status: 201 })),
      http.post(at('/reports/:id/snapshots'), () =>
        problem(409, { detail: 'A report has at most 100 parts.', resolution: 'Begin a new one.' }),
      ),
    );
    const deleted: unknown[] = [];
    server.use(
      http.delete(at('/reports/:id'), ({ params }) => {
        deleted.push(params.id);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = showButton();
    await openDialog(user);
    await user.click(screen.getByRole('button', { name: 'Add snapshot' }));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not add the page · A report has at most 100 parts.');
    expect(alert).toHaveTextContent('Begin a new one.');
    expect(screen.getByRole('radio', { name: 'Why stacks grow' })).toBeChecked();
    // Only a report that was created for the snapshot is deleted.
    await user.click(screen.getByRole('radio', { name: 'New report' }));
    await user.click(screen.getByRole('button', { name: 'Add snapshot' }));
    await waitFor(() => expect(deleted).toEqual(['r9']));
  });

  it('adds the page to a new report when the reports cannot be listed', async () => {
    const sent = serve([]);
    server.use(
      http.get(at('/reports'), () => problem(403, { detail: 'Not readable.' })),
      http.post(at('/reports'), () => HttpResponse.json(aReport({ id: 'r9' }), { status: 201 })),
    );
    const { user } = showButton();
    await user.click(screen.getByRole('button', { name: 'Add to report' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Could not load the reports');
    await user.click(screen.getByRole('button', { name: 'Add snapshot' }));
    await waitFor(() => expect(sent.map(([id]) => id)).toEqual(['r9']));
  });
});
