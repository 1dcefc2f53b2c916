import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { at, problem, server } from '../../../testing/mock-api';
import { writeReportBundle } from '../../../testing/report-bundle-writer';
import { aSnapshot, aText } from '../../../testing/report-fixtures';
import { show } from '../../../testing/render';
import { PreviewPage, SharedPage } from './SharedPage';
import { ALL_SCRUBBED } from './report-types';

const REPORT = {
  number: 4,
  title: 'Why stacks grow',
  version: 2,
  updated_at: '2026-11-18T14:06:00Z',
  published_at: '2026-11-18T14:06:00Z',
  team: 'Northwind',
  expires_at: null,
  created_by: null,
  blocks: [aSnapshot({ note: 'See **Clone**.' }), aText()],
};

/** A report bundle with one response, of the only snapshot. */
const bundle = (report: object = REPORT) =>
  new HttpResponse(
    writeReportBundle(report, [
      {
        block: 'b1',
        request: '/comparisons/c1',
        mediaType: 'application/json',
        bytes: new TextEncoder().encode('{}'),
      },
    ]),
  );

const showShared = () =>
  show(
    <SharedPage
      secret="a/b"
      page={({ path, answers }) => <p>{`${path}: ${[...answers.keys()].join()}`}</p>}
    />,
  );

describe('SharedPage', () => {
  it('shows the parts from the snapshot, the expiry, and a download link', async () => {
    server.use(http.get(at('/shared/:secret'), () => bundle()));
    showShared();
    expect(await screen.findByText('Shared by Northwind')).toBeInTheDocument();
    expect(screen.getByText('does not expire')).toBeInTheDocument();
    expect(screen.getByText('version 2')).toBeInTheDocument();
    expect(screen.getByText('/comparisons/c1: /comparisons/c1')).toBeInTheDocument();
    const file = screen.getByRole('link', { name: 'Download as one file' }).getAttribute('href')!;
    expect(new URL(file, 'http://x').pathname).toBe('/api/v1/shared/a%2Fb/export.html');
    expect(document.title).toBe('Why stacks grow · Slowpath');
  });

  it('explains a wrong link and offers no retry', async () => {
    server.use(http.get(at('/shared/:secret'), () => problem(404, { detail: 'x' })));
    showShared();
    expect(await screen.findByRole('heading', { name: 'Link not found' })).toBeInTheDocument();
    expect(screen.getByText('Check that you copied the whole link.')).toBeInTheDocument();
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });

  it('shows why the report could not be loaded and offers a retry', async () => {
    server.use(
      http.get(at('/shared/:secret'), () =>
        problem(429, { title: 'Too many requests', detail: 'Wait a minute.' }),
      ),
    );
    showShared();
    expect(
      await screen.findByRole('heading', { name: 'Could not load the report' }),
    ).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent('Too many requests · Wait a minute.');
    expect(screen.getByRole('button', { name: 'Try again' })).toBeInTheDocument();
  });
});

describe('PreviewPage', () => {
  const showPreview = () =>
    show(
      <PreviewPage
        reportId="r1"
        scrub={{ ...ALL_SCRUBBED, users: false }}
        version={2}
        page={() => <p>frozen</p>}
        back={<a href="#report">Back to the report</a>}
      />,
    );

  it('requests the selected scrub options and is labeled as a preview', async () => {
    const asked: URLSearchParams[] = [];
    server.use(
      http.get(at('/reports/:id/preview'), ({ request }) => {
        asked.push(new URL(request.url).searchParams);
        return bundle({ ...REPORT, version: null });
      }),
    );
    showPreview();
    expect(await screen.findByText('Preview of the shared report')).toBeInTheDocument();
    expect(screen.queryByText(/expire/)).not.toBeInTheDocument();
    expect(screen.queryByText(/^version/)).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Back to the report' })).toBeInTheDocument();
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      labels: 'true',
      paths: 'true',
      hosts: 'true',
      users: 'false',
      version: '2',
    });
  });

  it('shows why the preview failed, with a link back to the report', async () => {
    server.use(
      http.get(at('/reports/:id/preview'), () => problem(404, { detail: 'Version 2 is gone.' })),
    );
    showPreview();
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not create the preview · Version 2 is gone.',
    );
    expect(screen.getByRole('link', { name: 'Back to the report' })).toBeInTheDocument();
  });
});
