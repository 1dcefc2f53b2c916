import { screen, within } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import type { FlameGraphHandle } from '../../../../charts';
import { exactSearch } from '../../../../engine/flame/name-pattern';
import { EMPTY_VIEW, type FlameView } from '../../../../engine/flame/flame-view';
import { functionsFile } from '../../../../testing/function-fixtures';
import { show } from '../../../../testing/render';
import { LinkedFunctionsTable } from './LinkedFunctionsTable';
import { DEFAULT_VIEW, type ComparisonView } from '../shared/comparison-url';

const CLONE = 'example.com/northwind/ident.(*Pool).Clone';

const ROWS: Parameters<typeof functionsFile>[0] = [
  { name: 'main.steady', base: 9e9, candidate: 9e9, state: 0, low: 0.9, high: 1.1, q: 0.8 },
  {
    name: CLONE,
    base: 1e9,
    candidate: 4e9,
    attributed: [0.5e9, 2e9],
    mostly: 2,
    state: 1,
    low: 3.5,
    high: 4.5,
    q: 0.0002,
    category: 1,
  },
  { name: 'main.added', base: 0, candidate: 2e9, state: 3, q: NaN, category: 2 },
  { name: 'main.removed', base: 2.5e9, candidate: 0, state: 4, q: 0.021 },
  { name: 'main.faster', base: 3e9, candidate: 1.5e9, state: 2, low: 0.4, high: 0.6, q: 0.004 },
];

type Options = { view?: Partial<ComparisonView>; flame?: Partial<FlameView>; rows?: typeof ROWS };

function table({ view = {}, flame = {}, rows = ROWS }: Options = {}) {
  const changes: Partial<ComparisonView>[] = [];
  const zoomed: string[] = [];
  const hovered: (string | null)[] = [];
  const handle: FlameGraphHandle = {
    zoomToPath: () => Promise.resolve(true),
    zoomToFunction: (name) => {
      zoomed.push(name);
      return Promise.resolve(true);
    },
    exportPng: () => Promise.reject(new Error('not asked for')),
    exportSvg: () => '',
  };
  function Page() {
    const [shown, setShown] = useState<ComparisonView>({
      ...DEFAULT_VIEW,
      ...view,
      flame: { ...EMPTY_VIEW, ...flame },
    });
    return (
      <LinkedFunctionsTable
        buffer={functionsFile(rows)}
        view={shown}
        change={(changed) => {
          changes.push(changed);
          setShown({ ...shown, ...changed });
        }}
        marked={null}
        onHover={(name) => hovered.push(name)}
        graph={{ current: handle }}
      />
    );
  }
  return { ...show(<Page />), changes, zoomed, hovered };
}

const functionRows = () =>
  within(screen.getByRole('table', { name: 'Functions' }))
    .getAllByRole('row')
    .slice(1);
const names = () =>
  functionRows().map((row) => row.querySelector('[title]')?.getAttribute('title'));
const cellsOf = (name: string) =>
  [...screen.getByTitle(name).closest('tr')!.children].map((cell) => cell.textContent);

const search = (pattern: string, regex = true): Partial<FlameView> => ({
  search: { pattern, regex, caseSensitive: false },
});

describe('row of LinkedFunctionsTable', () => {
  it.each([
    [
      'main.steady',
      [
        '9.00 9.00',
        '– –',
        '9.00 9.00',
        '0',
        'times 1.00, not significant, 95% interval 0.90 to 1.10',
        'own code',
        '9.00 9.00',
        'not significant',
        'not significant',
      ],
    ],
    [
      CLONE,
      [
        '4.00 1.00',
        '2.00 0.50',
        '6.00 1.50',
        '+4.50',
        'times 4.00, significant, 95% interval 3.50 to 4.50',
        'GC mark',
        '4.00 1.00',
        'significant',
        'takes more time',
      ],
    ],
    [
      'main.added',
      [
        '2.00 –',
        '– –',
        '2.00 –',
        '+2.00',
        'no ratio',
        'own code',
        '2.00 –',
        '–',
        'only in candidate',
      ],
    ],
    [
      'main.removed',
      [
        '– 2.50',
        '– –',
        '– 2.50',
        '−2.50',
        'no ratio',
        'own code',
        '– 2.50',
        'significant',
        'only in base',
      ],
    ],
    [
      'main.faster',
      [
        '1.50 3.00',
        '– –',
        '1.50 3.00',
        '−1.50',
        'times 0.50, significant, 95% interval 0.40 to 0.60',
        'own code',
        '1.50 3.00',
        'significant',
        'takes less time',
      ],
    ],
  ])('for %s shows both sides, the change, and its significance in words', (name, cells) => {
    table();
    expect(cellsOf(name).slice(1)).toEqual(cells);
  });

  it('shows the q-value as the tooltip of the significance', () => {
    table();
    const row = screen.getByTitle(CLONE).closest('tr')!;
    expect(within(row).getByTitle('q < .001')).toHaveTextContent('significant');
  });

  it.each([
    ['main.steady', 'times 1.00, not significant, 95% interval 0.90 to 1.10'],
    [CLONE, 'times 4.00, significant, 95% interval 3.50 to 4.50'],
    ['main.added', 'no ratio'],
    ['main.removed', 'no ratio'],
  ])('for %s has a ratio with the accessible name "%s"', (name, text) => {
    table();
    const row = screen.getByTitle(name).closest('tr')!;
    expect(within(row).getByRole('img')).toHaveAccessibleName(text);
  });

  it.each([
    [CLONE, 'more'],
    ['main.added', 'more'],
    ['main.removed', 'less'],
    ['main.faster', 'less'],
    ['main.steady', 'muted'],
  ])('for %s shows the change in the color "%s"', (name, tone) => {
    table();
    const change = screen.getByTitle(name).closest('tr')!.children[4]?.firstElementChild;
    expect(change?.className.split(' ')).toContain(tone);
  });

  it('shows a change that is not significant in a muted color', () => {
    table({ rows: [{ name: 'main.noisy', base: 2e9, candidate: 3e9, state: 0 }] });
    const change = screen.getByText('+1.00');
    expect(change.className.split(' ')).toContain('muted');
  });

  it('shows shares of each side when normalized by share', () => {
    table({ flame: { basis: 'share' } });
    expect(cellsOf(CLONE).slice(1, 5)).toEqual(['44 11', '22 6', '67 17', '+50']);
    expect(screen.getByRole('columnheader', { name: /^Function/u })).toHaveTextContent(
      /^Function · 5, %$/u,
    );
  });

  it('falls back to the default normalization, with its unit in the column header', () => {
    table({ flame: { basis: 'not there' } });
    expect(screen.getByRole('columnheader', { name: /^Function/u })).toHaveTextContent(
      /^Function · 5, s per second$/u,
    );
  });

  it('has buttons for zoom, callers and lines that do not select the row', async () => {
    const { user, changes, zoomed } = table();
    await user.click(screen.getByRole('button', { name: `zoom of ${CLONE}` }));
    await user.click(screen.getByRole('button', { name: `callers of ${CLONE}` }));
    await user.click(screen.getByRole('button', { name: `lines of ${CLONE}` }));
    expect(zoomed).toEqual([CLONE]);
    expect(changes).toEqual([
      { flame: { ...EMPTY_VIEW, sandwich: CLONE } },
      { lines: CLONE, assembly: false },
    ]);
  });

  it('reports its function for the graph on hover', async () => {
    const { user, hovered } = table();
    await user.hover(screen.getByTitle(CLONE));
    expect(hovered.at(-1)).toBe(CLONE);
  });

  it('toggles an exact search on click, while the table keeps all rows', async () => {
    const { user, changes } = table({ flame: search('', false) });
    await user.click(screen.getByTitle(CLONE));
    expect(changes.at(-1)?.flame?.search).toEqual(exactSearch(CLONE));
    expect(names()).toHaveLength(5);
    expect(screen.getByTitle(CLONE).closest('tr')).toHaveAttribute('aria-selected', 'true');
    await user.click(screen.getByTitle(CLONE));
    expect(changes.at(-1)?.flame?.search.pattern).toBe('');
  });
});

describe('LinkedFunctionsTable', () => {
  it.each<[string, boolean, string[]]>([
    ['change', true, [CLONE, 'main.removed', 'main.added', 'main.faster', 'main.steady']],
    ['change', false, ['main.steady', 'main.faster', 'main.added', 'main.removed', CLONE]],
    ['own-change', true, [CLONE, 'main.removed', 'main.added', 'main.faster', 'main.steady']],
    ['attributed', true, [CLONE, 'main.steady', 'main.added', 'main.removed', 'main.faster']],
    ['own', true, ['main.steady', CLONE, 'main.added', 'main.faster', 'main.removed']],
    ['own-ratio', false, ['main.removed', 'main.faster', 'main.steady', CLONE, 'main.added']],
    ['mostly', true, [CLONE, 'main.steady', 'main.added', 'main.removed', 'main.faster']],
    ['ratio', true, ['main.added', CLONE, 'main.steady', 'main.faster', 'main.removed']],
    ['q', false, [CLONE, 'main.faster', 'main.removed', 'main.steady', 'main.added']],
    ['q', true, ['main.steady', 'main.removed', 'main.faster', CLONE, 'main.added']],
    ['base-total', true, ['main.steady', 'main.faster', 'main.removed', CLONE, 'main.added']],
    ['candidate-self', false, ['main.removed', 'main.faster', 'main.added', CLONE, 'main.steady']],
    ['name', false, [CLONE, 'main.added', 'main.faster', 'main.removed', 'main.steady']],
    // In the order of the labels: "application", "GC mark", "locks".
    ['category', false, ['main.steady', 'main.removed', 'main.faster', 'main.added', CLONE]],
    ['category', true, [CLONE, 'main.added', 'main.steady', 'main.removed', 'main.faster']],
  ])('sorts by %s, descending %s', (column, descending, order) => {
    table({ view: { sort: { column, descending } } });
    expect(names()).toEqual(order);
  });

  it('sorts by a column on click on its header', async () => {
    const { user, changes } = table();
    await user.click(screen.getByRole('button', { name: /^Mostly/u }));
    expect(changes).toEqual([
      { sort: { column: 'mostly', descending: expect.any(Boolean) as boolean } },
    ]);
  });

  it.each<[string, Partial<FlameView>, string[]]>([
    ['a part of the name', search('clone', false), [CLONE]],
    ['a regular expression', search('main\\.(added|removed)'), ['main.removed', 'main.added']],
    [
      'a regular expression anchored at both ends',
      search('^main\\..*d$'),
      ['main.removed', 'main.added'],
    ],
    [
      'an invalid pattern, which keeps all rows',
      search('('),
      [CLONE, 'main.removed', 'main.added', 'main.faster', 'main.steady'],
    ],
  ])('filters functions by %s', (_, flame, order) => {
    table({ flame });
    expect(names()).toEqual(order);
    expect(screen.getByRole('columnheader', { name: /^Function/u })).toHaveTextContent(
      `Function · ${order.length}, `,
    );
  });

  it.each<[string, Partial<FlameView>, typeof ROWS]>([
    ['No function matches the search.', search('nothing such'), ROWS],
    ['No function matches the search.', search('^nothing such$', false), ROWS],
    ['No functions in this view.', {}, []],
  ])('shows why it is empty: %s', (text, flame, rows) => {
    table({ flame, rows });
    expect(screen.getByText(text)).toBeInTheDocument();
    expect(screen.queryByRole('table')).toBeNull();
  });
});
