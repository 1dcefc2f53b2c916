import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { EMPTY_VIEW, type FlameView } from '../../../../engine/flame/flame-view';
import { functionsFile } from '../../../../testing/function-fixtures';
import { at, problem, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import { SearchMatches } from './SearchMatches';

type Local = Parameters<typeof SearchMatches>[0]['local'];

const LOCAL: NonNullable<Local> = {
  frames: 3,
  base: 4e9,
  candidate: 1e9,
  baseShare: 0.5,
  candidateShare: 0.25,
  unsearched: 0,
  error: null,
};

function matches(pattern: string, flame: Partial<FlameView> = {}, local: Local = null) {
  const rows = [{ name: 'main', base: 8e9, candidate: 4e9, state: 0 }];
  return show(
    <p>
      <SearchMatches
        view={{ comparison_id: 'c1', view_id: 'v1' }}
        flame={{ ...EMPTY_VIEW, search: { ...EMPTY_VIEW.search, pattern }, ...flame }}
        functions={functionsFile(rows)}
        local={local}
      />
    </p>,
  );
}

const serve = (nodes: number, base_raw: number, candidate_raw: number) =>
  server.use(
    http.get(at('/comparisons/c1/views/v1/search'), () =>
      HttpResponse.json({ nodes, functions: 1, base_raw, candidate_raw }),
    ),
  );

describe('SearchMatches', () => {
  it.each([
    [1, 2e9, 1e9, '1 frame: 25% of base, 25% of candidate'],
    [2, 0, 4e9, '2 frames: 0% of base, 100% of candidate'],
    [1200, 1e3, 0, '1,200 frames: < 0.01% of base, 0% of candidate'],
    [0, 0, 0, 'no frame matches'],
  ])('shows the shares of %i matches in the whole view', async (nodes, base, candidate, text) => {
    serve(nodes, base, candidate);
    matches('main', {}, LOCAL);
    expect(await screen.findByText(text)).toBeInTheDocument();
  });

  it('shows the matches in the graph while a filter narrows the graph', () => {
    matches('main', { focus: 'x' }, LOCAL);
    expect(screen.getByText('3 frames: 50% of base, 25% of candidate')).toBeInTheDocument();
  });

  it('falls back to the matches in the graph when the server rejects the search', async () => {
    server.use(
      http.get(at('/comparisons/c1/views/v1/search'), () => problem(422, { detail: 'Too long.' })),
    );
    matches('main', {}, LOCAL);
    expect(await screen.findByText('3 frames: 50% of base, 25% of candidate')).toBeInTheDocument();
  });

  it('shows "searching" while the search is pending', () => {
    serve(1, 1, 1);
    matches('main');
    expect(screen.getByText('searching')).toBeInTheDocument();
  });

  it('shows the error of an invalid pattern', () => {
    matches('(', {}, { ...LOCAL, error: 'Not a regular expression: Unterminated group' });
    expect(screen.getByText('Not a regular expression: Unterminated group')).toBeInTheDocument();
  });

  it('sends no request for an invalid pattern or while a filter narrows the graph', async () => {
    const asked: (string | null)[] = [];
    server.use(
      http.get(at('/comparisons/c1/views/v1/search'), ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('pattern'));
        return HttpResponse.json({ nodes: 0, functions: 0, base_raw: 0, candidate_raw: 0 });
      }),
    );
    matches('(');
    matches('main', { focus: 'x' });
    matches('other');
    await screen.findByText('no frame matches');
    expect(asked).toEqual(['other']);
  });

  it('shows nothing without a pattern', () => {
    const { container } = matches('', {}, LOCAL);
    expect(container.querySelector('p')).toBeEmptyDOMElement();
  });
});
