import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { BuildSeriesPage } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { BUILD, SERIES, SERVICE, aSeriesPage } from '../../../testing/regression-fixtures';
import { show } from '../../../testing/render';
import ServiceSeries from './ServiceSeries';

function serve(pageOf: (asked: URLSearchParams) => BuildSeriesPage): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  server.use(
    http.get(at('/services/:service/series'), ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return HttpResponse.json(pageOf(asked.at(-1)!));
    }),
  );
  return asked;
}

const showSeries = (mayWrite = true) =>
  show(
    <ServiceSeries
      serviceId={SERVICE}
      link={(id, words) => <a href={`#build-${id}`}>{words}</a>}
      compareLink={(base, candidate, words) => <a href={`#${base}-${candidate}`}>{words}</a>}
      mayWrite={mayWrite}
    />,
  );

const pick = (name: string) => screen.findByRole('option', { name, hidden: true });
const chart = () => screen.findByRole('slider', { name: 'Clone over 3 builds' });

describe('kinds of series in ServiceSeries', () => {
  it('begin with runtime categories, and the chosen kind is requested', async () => {
    const asked = serve(() => aSeriesPage());
    const { user } = showSeries();
    const kind = screen.getByRole('combobox', { name: 'Kind of series' });
    expect(kind).toHaveValue('runtime categories');
    await user.click(kind);
    await user.click(await pick('benchmarks'));
    await waitFor(() => expect(asked.map((one) => one.get('kind'))).toContain('bench'));
    expect(asked[0]?.get('kind')).toBe('profile.category');
  });

  it('have a different explanation of missing series for latency and for others', async () => {
    serve(() => ({ ...SERIES, series: [] }));
    const { user } = showSeries();
    expect(await screen.findByText(/^No series yet: at least a few/)).toBeInTheDocument();
    await user.click(screen.getByRole('combobox', { name: 'Kind of series' }));
    await user.click(await pick('latency of deployments'));
    expect(await screen.findByText(/^No latency series yet: deploy builds/)).toBeInTheDocument();
  });

  it('show the error and the exceeded limit when series cannot be loaded', async () => {
    server.use(
      http.get(at('/services/:service/series'), () =>
        problem(422, {
          title: 'Too many series',
          detail: 'A page shows a few at once.',
          limit: 200,
          value: 1284,
          unit: 'series',
        }),
      ),
    );
    showSeries();
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Too many series · A page shows a few at once.');
    expect(alert).toHaveTextContent('limit 200 series, here 1,284 series');
  });
});

describe('branches in ServiceSeries', () => {
  it('can be chosen when there are several, with an option for builds without a branch', async () => {
    const asked = serve((query) => {
      const branch = query.get('branch') ?? 'main';
      return { ...SERIES, branch, branches: ['main', 'release', ''] };
    });
    const { user } = showSeries();
    const branch = await screen.findByRole('combobox', { name: 'Branch' });
    expect(branch).toHaveValue('main');
    await user.click(branch);
    expect(await pick('no branch')).toBeInTheDocument();
    await user.click(await pick('release'));
    await waitFor(() => expect(asked.at(-1)?.get('branch')).toBe('release'));
    await waitFor(() =>
      expect(screen.getByRole('combobox', { name: 'Branch' })).toHaveValue('release'),
    );
  });

  it('cannot be chosen when there is only one', async () => {
    serve(() => SERIES);
    showSeries();
    await chart();
    expect(screen.queryByRole('combobox', { name: 'Branch' })).not.toBeInTheDocument();
  });
});

describe('series over builds in ServiceSeries', () => {
  it('shows value, commit, conditions and verdict of the chosen build', async () => {
    serve(() =>
      aSeriesPage({
        unit: 'nanoseconds',
        values: [2_180_000, null, 2_880_000],
        low: [2_100_000, null, 2_880_000],
        high: [2_250_000, null, 2_880_000],
      }),
    );
    const { user } = showSeries();
    const line = await chart();
    expect(screen.getByText(/^3 builds, oldest on the left/)).toBeInTheDocument();
    line.focus();
    await user.keyboard('{Home}');
    expect(screen.getByText('2.18 ms (2.10 ms to 2.25 ms)')).toBeInTheDocument();
    expect(screen.getByText('passed')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: '1111111111' })).toBeInTheDocument();
    await user.keyboard('{ArrowRight}');
    expect(screen.getByText('no value')).toBeInTheDocument();
    await user.keyboard('{End}');
    // An interval of zero width is not shown.
    const head = screen.getByText('Clone').parentElement;
    expect(head).toHaveTextContent('2.88 ms');
    expect(head).not.toHaveTextContent('2.88 ms (');
    expect(screen.getByText('changed')).toBeInTheDocument();
    expect(screen.getByText('go1.26.3 linux/amd64')).toBeInTheDocument();
    expect(screen.getByText('minimum detectable change: ×1.04')).toBeInTheDocument();
  });

  it('links the comparison of two picked builds, with the older one as base', async () => {
    serve(() => SERIES);
    const { user } = showSeries();
    (await chart()).focus();
    const [first] = SERIES.builds;
    await user.keyboard('{End}{Enter}');
    expect(screen.getByText(/is picked. Click a second build/u)).toBeInTheDocument();
    await user.keyboard('{Home}{Enter}');
    expect(screen.getByRole('link', { name: 'Compare these builds' })).toHaveAttribute(
      'href',
      `#${first!.id}-${BUILD}`,
    );
    await user.keyboard('{Enter}');
    expect(screen.queryByRole('link', { name: 'Compare these builds' })).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    expect(screen.getByText(/^Click two builds/u)).toBeInTheDocument();
  });
});

describe('mute button of a series', () => {
  it('is hidden from viewers, who still see that the series is muted', async () => {
    serve(() => aSeriesPage({ is_muted: true }));
    showSeries(false);
    expect(await screen.findByText('Muted')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /mute/i })).not.toBeInTheDocument();
  });

  it('is hidden for kinds that are never evaluated', async () => {
    serve(() => aSeriesPage({ kind: 'profile.mutex' }));
    showSeries();
    await chart();
    expect(screen.queryByRole('button', { name: /mute/i })).not.toBeInTheDocument();
  });

  it('shows the error of a rejected change and leaves the series unmuted', async () => {
    const [one] = SERIES.series;
    serve(() => ({ ...SERIES, series: [one!, { ...one!, subject: 'Decode', name: 'Decode' }] }));
    const sent: unknown[] = [];
    server.use(
      http.put(at('/services/:service/mute-rules'), async ({ request }) => {
        sent.push(await request.json());
        return problem(403, { detail: 'You may only read.', resolution: 'Ask an admin.' });
      }),
    );
    const { user } = showSeries();
    await user.click(await screen.findByRole('button', { name: 'Mute: Decode' }));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not save the changes · You may only read.');
    expect(within(alert).getByText('Ask an admin.')).toBeInTheDocument();
    expect(sent).toEqual([{ kind: 'profile.function', subject: 'Decode', is_muted: true }]);
    expect(screen.queryByText('Muted')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Mute: Decode' })).toBeEnabled();
  });
});
