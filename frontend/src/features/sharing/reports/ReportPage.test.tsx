import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Report } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { writeReportBundle } from '../../../testing/report-bundle-writer';
import { aReport, aSnapshot, aText } from '../../../testing/report-fixtures';
import { enter, show } from '../../../testing/render';
import ReportPage from './ReportPage';

const EARLIER = '2026-11-17T10:00:00Z';
const LATER = '2026-11-18T14:06:00Z';
const published = (changed: Partial<Report> = {}) =>
  aReport({
    version: 2,
    published_at: LATER,
    updated_at: LATER,
    blocks: [aText()],
    ...changed,
  });

function serve(report: Report) {
  server.use(
    http.get(at('/reports/:id'), () => HttpResponse.json(report)),
    http.get(at('/reports/:id/bundle'), () => new HttpResponse(writeReportBundle(report, []))),
    http.get(at('/reports/:id/versions'), () =>
      HttpResponse.json(
        [2, 1].slice(2 - report.version).map((version) => ({
          version,
          title: report.title,
          blocks_count: 1,
          published_by: version === 1 ? null : { id: 'u1', name: 'Mira' },
          created_at: EARLIER,
        })),
      ),
    ),
  );
}

type PageProps = { mayWrite?: boolean; first?: number; onGone?: () => void };

function Page({ mayWrite = true, first, onGone = () => undefined }: PageProps) {
  const [version, setVersion] = useState(first);
  return (
    <ReportPage
      id="r1"
      version={version}
      onVersion={setVersion}
      onGone={onGone}
      mayWrite={mayWrite}
      back={<a href="#reports">All reports</a>}
      page={({ path, answers }) => (
        <p>
          {path} with {answers.size} answers
        </p>
      )}
      liveLink={() => null}
      previewLink={() => null}
    />
  );
}

/** Prevents downloads; returns the URLs of the files that would be downloaded. */
function recordDownloads(): string[] {
  const taken: string[] = [];
  const onClick = (event: MouseEvent) => {
    if (!(event.target instanceof HTMLAnchorElement) || !event.target.hasAttribute('download'))
      return;
    event.preventDefault();
    taken.push(event.target.getAttribute('href') ?? '');
  };
  document.addEventListener('click', onClick);
  stopped.push(() => document.removeEventListener('click', onClick));
  return taken;
}
const stopped: (() => void)[] = [];

const more = async (user: ReturnType<typeof show>['user'], name: string) => {
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name, hidden: true }));
};

afterEach(() => {
  sessionStorage.clear();
  stopped.splice(0).forEach((stop) => stop());
});

describe('status line of a report', () => {
  it.each([
    [aReport({ created_by: null }), 'Not published yet · edited'],
    [published(), 'Version 2 is published · by Mira · edited'],
    [
      published({ published_at: EARLIER, links_count: 1 }),
      /edited .* · the draft has unpublished changes · 1 open link$/,
    ],
    [published({ links_count: 3 }), /edited .* · 3 open links$/],
  ])('shows the published version, later changes and open links (%#)', async (report, words) => {
    serve(report);
    show(<Page mayWrite={false} />);
    const title = await screen.findByRole('heading', { level: 1, name: 'Why stacks grow' });
    expect(title.nextElementSibling).toHaveTextContent(words);
  });

  it('names the selected version, which is read-only', async () => {
    serve(published());
    show(<Page first={1} />);
    expect(await screen.findByText('Version 1 by Mira')).toBeInTheDocument();
    // An old version can only be read.
    expect(screen.queryByRole('button', { name: 'Publish' })).not.toBeInTheDocument();
    expect(screen.queryByRole('radiogroup', { name: 'Mode' })).not.toBeInTheDocument();
  });
});

describe('versions of a report', () => {
  it('are selected from a list and requested from the server', async () => {
    serve(published());
    const asked: (string | null)[] = [];
    server.use(
      http.get(at('/reports/:id'), ({ request }) => {
        const version = new URL(request.url).searchParams.get('version');
        asked.push(version);
        return HttpResponse.json(
          published({ blocks: [aText({ markdown: version === '1' ? 'Old text.' : 'New text.' })] }),
        );
      }),
    );
    const { user } = show(<Page mayWrite={false} />);
    const select = await screen.findByRole('combobox', { name: 'Version' });
    expect(select).toHaveValue('Draft');
    expect(await screen.findByText('New text.')).toBeInTheDocument();
    await user.click(select);
    expect(
      await screen.findByRole('option', { name: 'Version 2 by Mira', hidden: true }),
    ).toBeInTheDocument();
    await user.click(screen.getByRole('option', { name: 'Version 1', hidden: true }));
    expect(await screen.findByText('Old text.')).toBeInTheDocument();
    expect(asked).toEqual([null, '1']);
  });
});

describe('ReportPage', () => {
  it('opens for editing before the first publication and shows a preview on request', async () => {
    serve(aReport({ blocks: [aText()] }));
    const { user } = show(<Page />);
    expect(await screen.findByRole('button', { name: 'Edit: text, part 1' })).toBeInTheDocument();
    await user.click(screen.getByRole('radio', { name: 'Preview' }));
    expect(screen.queryByRole('button', { name: /^Edit/ })).not.toBeInTheDocument();
    expect(screen.getByText('It is not inlined.')).toBeInTheDocument();
  });

  it('opens as a preview once the report is published', async () => {
    serve(published());
    show(<Page />);
    expect(await screen.findByRole('radio', { name: 'Preview' })).toBeChecked();
    expect(screen.queryByRole('button', { name: /^Edit/ })).not.toBeInTheDocument();
  });

  it('offers viewers sharing and downloads but no changes', async () => {
    serve(aReport());
    const { user } = show(<Page mayWrite={false} />);
    expect(await screen.findByText('This report is empty.')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Share' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Publish' })).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /^Add text/ })).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'More' }));
    await screen.findByRole('menuitem', { name: 'Print', hidden: true });
    expect(
      screen.queryByRole('menuitem', { name: 'Delete report', hidden: true }),
    ).not.toBeInTheDocument();
  });

  it('shows in place of a snapshot why it is missing, and still shows the text', async () => {
    const report = published({ blocks: [aSnapshot(), aText()] });
    serve(report);
    server.use(
      http.get(at('/reports/:id/bundle'), () =>
        problem(410, { detail: 'It was deleted.', resolution: 'Add the page again.' }),
      ),
    );
    show(<Page />);
    const part = await screen.findByRole('region', { name: 'The comparison' });
    const alert = await within(part).findByRole('alert');
    expect(alert).toHaveTextContent('Could not load the report bundle · It was deleted.');
    expect(alert).toHaveTextContent('Add the page again.');
    expect(screen.getByText('It is not inlined.')).toBeInTheDocument();
  });

  it('shows an error and a link back when the report is missing', async () => {
    serve(aReport());
    server.use(
      http.get(at('/reports/:id'), () => problem(404, { detail: 'There is no such report.' })),
    );
    show(<Page />);
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such report.');
    expect(screen.getByRole('link', { name: 'All reports' })).toBeInTheDocument();
  });
});

describe('publishing a report', () => {
  it.each([
    [aReport(), 'The report is empty'],
    [published(), 'No changes since version 2'],
  ])('is disabled with the reason (%#)', async (report, reason) => {
    serve(report);
    show(<Page />);
    const publish = await screen.findByRole('button', { name: 'Publish' });
    expect(publish).toBeDisabled();
    expect(publish).toHaveAttribute('title', reason);
  });

  it('creates one version, even on a second click, and shows it', async () => {
    let report = published({ version: 1, published_at: EARLIER });
    let count = 0;
    let finish: () => void = () => undefined;
    serve(report);
    server.use(
      http.get(at('/reports/:id'), () => HttpResponse.json(report)),
      http.post(at('/reports/:id/publish'), async () => {
        count += 1;
        await new Promise<void>((resolve) => (finish = resolve));
        report = published();
        return HttpResponse.json(report, { status: 201 });
      }),
    );
    const { user } = show(<Page />);
    const publish = await screen.findByRole('button', { name: 'Publish' });
    await user.click(publish);
    await waitFor(() => expect(publish).toBeDisabled());
    await user.click(publish);
    await waitFor(() => {
      finish();
      expect(screen.getByText(/^Version 2 is published/)).toBeInTheDocument();
    });
    expect(count).toBe(1);
    expect(publish).toHaveAttribute('title', 'No changes since version 2');
  });

  it('shows the reason when the server rejects it', async () => {
    serve(published({ published_at: EARLIER }));
    server.use(
      http.post(at('/reports/:id/publish'), () => problem(409, { detail: 'At most 50 versions.' })),
    );
    const { user } = show(<Page />);
    await user.click(await screen.findByRole('button', { name: 'Publish' }));
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not publish the report · At most 50 versions.',
    );
  });
});

describe('actions of a report', () => {
  it('download it in full or scrubbed, in the selected version', async () => {
    serve(published());
    const taken = recordDownloads();
    const { user } = show(<Page first={1} />);
    await more(user, 'Full content');
    await more(user, 'Scrubbed');
    const [whole, scrubbed] = taken.map((href) => new URL(href, 'http://x'));
    expect(whole?.pathname).toBe('/api/v1/reports/r1/export.html');
    expect(whole?.searchParams.get('labels')).toBe('false');
    expect(whole?.searchParams.get('version')).toBe('1');
    for (const field of ['labels', 'paths', 'hosts', 'users'])
      expect(scrubbed?.searchParams.get(field)).toBe('true');
  });

  it('change its title, and show the reason when another member changed it first', async () => {
    serve(aReport());
    const sent: unknown[] = [];
    server.use(
      http.patch(at('/reports/:id'), async ({ request }) => {
        sent.push(await request.json());
        return problem(409, { detail: 'It was changed.', resolution: 'Reload the report.' });
      }),
    );
    const { user } = show(<Page />);
    await more(user, 'Change title');
    const title = await screen.findByRole('textbox', { name: 'Title' });
    expect(title).toHaveValue('Why stacks grow');
    await enter(user, title, ' again');
    await user.keyboard('{Enter}');
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not save the title · It was changed.');
    expect(alert).toHaveTextContent('Reload the report.');
    expect(sent).toEqual([{ title: 'Why stacks grow again', updated_at: LATER }]);
  });

  it('delete it after a confirmation that states what is deleted with it', async () => {
    serve(aReport());
    let deleted = 0;
    server.use(
      http.delete(at('/reports/:id'), () => {
        deleted += 1;
        return new HttpResponse(null, { status: 204 });
      }),
    );
    let isGone = false;
    const { user } = show(<Page onGone={() => (isGone = true)} />);
    await more(user, 'Delete report');
    const dialog = await screen.findByRole('dialog', { name: 'Delete “Why stacks grow”?' });
    expect(dialog).toHaveTextContent('Deletes its versions, snapshots and share links.');
    expect(deleted).toBe(0);
    await user.click(within(dialog).getByRole('button', { name: 'Delete report' }));
    await waitFor(() => expect(isGone).toBe(true));
    expect(deleted).toBe(1);
  });
});
