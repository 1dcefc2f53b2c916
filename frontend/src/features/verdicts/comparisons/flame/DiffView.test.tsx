import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { ViewDescription } from '../../../../api';
import { EMPTY_VIEW } from '../../../../engine/flame/flame-view';
import { aComparison, aView } from '../../../../testing/api-factories';
import { at, problem, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import { DiffView } from './DiffView';
import { DEFAULT_VIEW, type ComparisonView } from '../shared/comparison-url';

const PROBLEM = { type: 'x', title: 'Too large', status: 422, detail: 'It has 2 GiB.' };

type Granularity = ComparisonView['flame']['granularity'];

/** Renders the view of profiles by `granularity` of a comparison that has `views`. */
function diff(views: ViewDescription[], granularity: Granularity = 'line', kind = 'cpu') {
  const chosen: ComparisonView[] = [];
  const asked: unknown[] = [];
  server.use(
    http.post(at('/comparisons/:id/views'), async ({ request }) => {
      asked.push(await request.json());
      return HttpResponse.json(aView({ granularity, state: 'waiting' }), { status: 202 });
    }),
  );
  const shown = show(
    <DiffView
      comparison={aComparison({ views })}
      wanted={{ kind, sampleType: kind, granularity }}
      view={{ ...DEFAULT_VIEW, flame: { ...EMPTY_VIEW, granularity } }}
      onView={(view) => chosen.push(view)}
      graph={{ current: null }}
    />,
  );
  return { ...shown, chosen, asked };
}

describe('DiffView without a finished view', () => {
  it.each([
    ['that does not exist', []],
    ['that is not built', [aView({ granularity: 'line', state: 'not-built' })]],
  ])('requests a view %s once, and goes back to functions on click', async (_, views) => {
    const { user, asked, chosen } = diff(views);
    expect(screen.getByText(/^Building the view CPU by line\./u)).toBeInTheDocument();
    await waitFor(() =>
      expect(asked).toEqual([{ kind: 'cpu', sample_type: 'cpu', granularity: 'line' }]),
    );
    await user.click(screen.getByRole('button', { name: 'Back to functions' }));
    expect(chosen.map(({ flame }) => flame.granularity)).toEqual(['function']);
  });

  it.each(['waiting', 'running'] as const)('does not request a %s view again', (state) => {
    const { asked } = diff([aView({ granularity: 'line', state, nodes: null })]);
    expect(screen.getByText(/^Building the view CPU by line\./u)).toBeInTheDocument();
    expect(asked).toEqual([]);
  });

  it('loads the first chunks of a running view as soon as its nodes are stored', async () => {
    const parts: unknown[] = [];
    server.use(
      http.get(at('/comparisons/:id/views/:view/chunks/:part'), ({ params }) => {
        parts.push(params.part);
        return new HttpResponse(null, { status: 503 });
      }),
    );
    diff([aView({ granularity: 'line', state: 'running' })]);
    await waitFor(() => expect(parts).toEqual(expect.arrayContaining(['first', 'functions'])));
    expect(screen.queryByText(/^Building the view/u)).not.toBeInTheDocument();
    expect(parts).not.toContain('rest');
  });

  it('shows no "Back to functions" for a view by function', () => {
    diff([aView({ state: 'running', nodes: null })], 'function');
    expect(screen.getByText('Building the view CPU by function.')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Back to functions' })).toBeNull();
  });

  it('shows an error when no profile kind is on both sides', () => {
    const { asked } = diff([], 'function', '');
    expect(screen.getByRole('alert')).toHaveTextContent(
      'No profile kind is present on both sides.',
    );
    expect(asked).toEqual([]);
  });
});

describe('DiffView of a view that could not be built', () => {
  it.each<[string, Partial<ViewDescription>, string]>([
    ['failed', { state: 'failed', problem: PROBLEM }, 'It has 2 GiB.'],
    ['failed for no known reason', { state: 'failed' }, 'No error message recorded.'],
    ['was cancelled', { state: 'cancelled' }, 'It was cancelled.'],
  ])('shows the error of a view that %s, and rebuilds it on request', async (_, changed, text) => {
    const { user, asked } = diff([aView({ granularity: 'line', ...changed })]);
    expect(screen.getByRole('alert')).toHaveTextContent(`Could not build this view · ${text}`);
    expect(screen.queryByText(/^Building the view/u)).toBeNull();
    expect(asked).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(asked).toHaveLength(1));
  });

  it('shows why the request was rejected, and goes back to functions on click', async () => {
    const { user, chosen } = diff([]);
    server.use(
      http.post(at('/comparisons/:id/views'), () =>
        problem(403, { title: 'Not permitted', detail: 'Viewers build no views.' }),
      ),
    );
    expect(await screen.findByRole('alert')).toHaveTextContent('Viewers build no views.');
    await user.click(screen.getByRole('button', { name: 'Back to functions' }));
    expect(chosen.map(({ flame }) => flame.granularity)).toEqual(['function']);
  });
});
