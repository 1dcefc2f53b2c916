import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { FunctionSource, FunctionSources } from '../../../../api';
import { at, problem, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import { CodeHostEntry, FunctionSourceSides } from './FunctionSourceSides';
import { SOURCE_REASONS } from './source-wording';

const NAME = 'example.org/app/pool.clone';
const WEB = 'https://github.com/example/api';
const SHA = 'a'.repeat(40);

const aSource = (changed: Partial<FunctionSource> = {}): FunctionSource => ({
  repository: { id: 'r', name: 'api', kind: 'github', web_url: WEB },
  commit: SHA,
  path: 'pool/pool.go',
  module: 'example.org/app',
  version: null,
  origin: 'service',
  url: `${WEB}/blob/${SHA}/pool/pool.go#L3-L4`,
  lines: [
    {
      number: 3,
      text: 'func clone() {',
      self_value: 0,
      attributed_value: 0.5e9,
      total_value: 2e9,
      inlined: [],
      is_changed: false,
    },
    {
      number: 4,
      text: '\t<img src=x onerror=alert(1)>',
      self_value: 1e9,
      attributed_value: 0,
      total_value: 2e9,
      inlined: [],
      is_changed: true,
    },
  ],
  is_truncated: false,
  commits: 1,
  reason: null,
  ...changed,
});

function shown(found: Partial<FunctionSources> = {}) {
  server.use(
    http.get(at('/comparisons/c1/views/v1/source'), () =>
      HttpResponse.json({
        base: aSource(),
        candidate: aSource(),
        comparison_url: null,
        move: null,
        ...found,
      }),
    ),
  );
  return show(
    <FunctionSourceSides
      comparisonId="c1"
      viewId="v1"
      name={NAME}
      scaled={{ unit: 's/s', base: 1e-9, candidate: 2e-9 }}
    />,
  );
}

const rows = async (side: string) =>
  within(await screen.findByRole('table', { name: `Source of ${side}` }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map((cell) => cell.textContent));

describe('FunctionSourceSides', () => {
  it('shows the cost of each line on each side, and marks changed lines in words', async () => {
    shown();
    expect(await rows('base')).toEqual([
      ['', '0.50', '2.00', '3', '', 'func clone() {'],
      ['1.00', '', '2.00', '4', '−changed', '\t<img src=x onerror=alert(1)>'],
    ]);
    expect((await rows('candidate'))[1]).toEqual([
      '2.00',
      '',
      '4.00',
      '4',
      '+changed',
      '\t<img src=x onerror=alert(1)>',
    ]);
    expect(document.querySelector('img')).toBeNull();
  });

  it('names the inlined calls of a line', async () => {
    const [first, second] = aSource().lines;
    const inlined = ['example.org/app/pool.get', '<b>x</b>'];
    shown({ candidate: aSource({ lines: [first!, { ...second!, inlined }] }) });
    expect((await rows('candidate')).map((row) => row.at(-1))).toEqual([
      'func clone() {',
      '\t<img src=x onerror=alert(1)>inlined: example.org/app/pool.get, <b>x</b>',
    ]);
  });

  it('leaves out attributed cost and inlined calls for older views and reports', async () => {
    const older = { number: 3, text: 'func clone() {', self_value: 0, total_value: 2e9 };
    shown({ base: { ...aSource(), lines: [{ ...older, is_changed: false }] } as FunctionSource });
    expect(await rows('base')).toEqual([['', '2.00', '3', '', 'func clone() {']]);
  });

  it('links the lines of each side and the comparison of both commits', async () => {
    shown({ comparison_url: `${WEB}/compare/a...b` });
    const links = await screen.findAllByRole('link', { name: 'Open on GitHub' });
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      `${WEB}/blob/${SHA}/pool/pool.go#L3-L4`,
      `${WEB}/blob/${SHA}/pool/pool.go#L3-L4`,
    ]);
    expect(screen.getByRole('link', { name: /Compare both commits/u })).toHaveAttribute(
      'href',
      `${WEB}/compare/a...b`,
    );
  });

  it('shows a link and the reason when a side has no lines', async () => {
    shown({
      candidate: aSource({
        lines: [],
        reason: 'no-repository',
        repository: null,
        origin: 'dependency',
        module: 'github.com/x/y',
        version: 'v1.2.0',
        url: 'https://github.com/x/y/blob/v1.2.0/a.go',
      }),
    });
    expect(await screen.findByText(SOURCE_REASONS['no-repository'])).toBeInTheDocument();
    expect(screen.getByText('github.com/x/y v1.2.0')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Open on github.com' })).toBeInTheDocument();
    expect(screen.queryByRole('table', { name: 'Source of candidate' })).toBeNull();
  });

  it('links only web addresses, and shows that lines are omitted', async () => {
    shown({ base: aSource({ url: 'javascript:alert(1)', is_truncated: true }) });
    expect(await screen.findByText(/longer than the 400 lines/u)).toBeInTheDocument();
    expect(screen.getAllByRole('link')).toHaveLength(1);
  });

  it('shows that the source is from the newest of several commits', async () => {
    shown({ base: aSource({ commits: 3 }) });
    expect(await screen.findByText(/^The newest of 3 commits of this side/u)).toBeInTheDocument();
  });

  it('names both files of a function that moved, and its name in the candidate', async () => {
    const move = {
      base_path: 'pool/pool.go',
      candidate_path: 'mem/<b>.go',
      base_function: NAME,
      candidate_function: NAME,
    };
    shown({ move });
    expect(await screen.findByText(/^Moved from/u)).toHaveTextContent(
      'Moved from pool/pool.go to mem/<b>.go.',
    );
    shown({ move: { ...move, candidate_function: 'example.org/app/mem.clone' } });
    expect(await screen.findByText(/the candidate has it as/u)).toHaveTextContent(
      'to mem/<b>.go; the candidate has it as example.org/app/mem.clone.',
    );
  });

  it('shows the error of a failed load, and loads on "Try again"', async () => {
    server.use(
      http.get(at('/comparisons/c1/views/v1/source'), () =>
        problem(404, { title: 'Not found', detail: 'The view was deleted.' }),
      ),
    );
    const { user } = show(
      <FunctionSourceSides
        comparisonId="c1"
        viewId="v1"
        name={NAME}
        scaled={{ unit: 's/s', base: 1, candidate: 1 }}
      />,
    );
    expect(await screen.findByRole('alert')).toHaveTextContent('The view was deleted.');
    server.use(
      http.get(at('/comparisons/c1/views/v1/source'), () =>
        HttpResponse.json({
          base: aSource(),
          candidate: aSource(),
          comparison_url: null,
          move: null,
        }),
      ),
    );
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await rows('base')).toHaveLength(2);
  });
});

describe('CodeHostEntry', () => {
  const entry = (found: Partial<FunctionSources>) => {
    shown(found);
    show(
      <div role="menu">
        <CodeHostEntry comparisonId="c1" viewId="v1" name={NAME} />
      </div>,
    );
  };

  it('links the lines of the base when the candidate has no URL', async () => {
    entry({ candidate: aSource({ url: null }) });
    const link = await screen.findByRole('menuitem', { name: 'Open on GitHub' });
    expect(link).toHaveAttribute('href', `${WEB}/blob/${SHA}/pool/pool.go#L3-L4`);
    expect(link).toHaveAttribute('rel', 'noreferrer noopener');
  });

  it.each([null, 'javascript:alert(1)'])('is hidden for the URL %s', async (url) => {
    entry({ base: aSource({ url }), candidate: aSource({ url }) });
    await rows('base');
    expect(screen.queryByRole('menuitem')).toBeNull();
  });
});
