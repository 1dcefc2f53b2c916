import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Line } from '../../../../api';
import { at, problem, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import { SourceLinesDrawer } from './SourceLinesDrawer';
import { SuspectContext } from '../suspect-context';

const NAME = 'example.com/shop.(*Cart).Add';

const aLine = (changed: Partial<Line> = {}): Line => ({
  line: 10,
  base_self: 1e9,
  base_total: 2e9,
  candidate_self: 3e9,
  candidate_total: 4e9,
  base_attributed: 0,
  candidate_attributed: 0,
  base_inlined: [],
  candidate_inlined: [],
  ...changed,
});

const PER_SECOND = { unit: 's/s', base: 1e-9, candidate: 1e-9 };

const NO_SOURCE = {
  repository: null,
  commit: null,
  path: null,
  module: null,
  version: null,
  origin: null,
  url: null,
  lines: [],
  is_truncated: false,
  commits: 1,
  reason: 'no-commit' as const,
};

beforeEach(() => {
  server.use(
    http.get(at('/comparisons/c1/views/v1/source'), () =>
      HttpResponse.json({ base: NO_SOURCE, candidate: NO_SOURCE, comparison_url: null }),
    ),
  );
});

type Scaled = typeof PER_SECOND;

async function lines(rows: Line[], scaled: Scaled = PER_SECOND) {
  const asked: (string | null)[] = [];
  server.use(
    http.get(at('/comparisons/c1/views/v1/lines'), ({ request }) => {
      asked.push(new URL(request.url).searchParams.get('function'));
      return HttpResponse.json(rows);
    }),
  );
  const closed: true[] = [];
  const shown = show(
    <SourceLinesDrawer
      comparisonId="c1"
      viewId="v1"
      name={NAME}
      scaled={scaled}
      assembly={false}
      onAssembly={() => undefined}
      onClose={() => closed.push(true)}
    />,
  );
  await screen.findByText(/with samples|No line information/u, { selector: 'p' });
  return { ...shown, asked, closed };
}

const lineRows = () =>
  within(screen.getByRole('table', { name: `Lines of ${NAME}` }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children]);

/** Returns the texts of the rows, without the column of bars. */
const cells = () =>
  lineRows().map((row) => row.map((cell) => cell.textContent).filter((text) => text !== ''));

const tones = () => lineRows().map((row) => row.at(-1)?.firstElementChild?.className);

describe('SourceLinesDrawer', () => {
  it('shows lines in the order of the source, with both sides in one unit', async () => {
    const { asked } = await lines([
      aLine({ line: 12, base_self: 0, base_total: 0 }),
      aLine({ line: 0, candidate_total: 2e9, candidate_self: 0 }),
      aLine({ line: 10, base_total: 4.5e9 }),
    ]);
    expect(asked).toEqual([NAME]);
    expect(cells()).toEqual([
      ['?', '1.00', '–', '2.00', '2.00', '0'],
      ['10', '1.00', '3.00', '4.50', '4.00', '−0.50'],
      ['12', '–', '3.00', '–', '4.00', '+4.00'],
    ]);
    expect(tones()).toEqual(['muted', 'less', 'more']);
  });

  it.each([
    [1, PER_SECOND, '1 line with samples, s per second. '],
    [2, PER_SECOND, '2 lines with samples, s per second. '],
    [2, { unit: 'share', base: 1e-10, candidate: 1e-10 }, '2 lines with samples, %. '],
    [2, { unit: 'count', base: 1e-9, candidate: 1e-9 }, '2 lines with samples, values. '],
  ])('shows the number of lines, %i, and the unit of %o', async (count, scaled, text) => {
    await lines(
      Array.from({ length: count }, (_, index) => aLine({ line: index + 1 })),
      scaled,
    );
    expect(screen.getByText(/with samples/u)).toHaveTextContent(
      `${text}Single lines have too few samples for an interval.`,
    );
  });

  it('shows the suspect commit of the comparison above the source', async () => {
    server.use(http.get(at('/comparisons/c1/views/v1/lines'), () => HttpResponse.json([aLine()])));
    show(
      <SuspectContext value={<p>Suspect commit by Ada</p>}>
        <SourceLinesDrawer
          comparisonId="c1"
          viewId="v1"
          name={NAME}
          scaled={PER_SECOND}
          assembly={false}
          onAssembly={() => undefined}
          onClose={() => undefined}
        />
      </SuspectContext>,
    );
    const drawer = within(await screen.findByRole('dialog'));
    const source = await drawer.findByRole('region', { name: `Source of ${NAME}` });
    expect(drawer.getByText(/by Ada/u).compareDocumentPosition(source)).toBe(
      Node.DOCUMENT_POSITION_FOLLOWING,
    );
  });

  it('shows attributed cost if any line has some', async () => {
    await lines([
      aLine({ line: 10, base_attributed: 0.5e9, candidate_attributed: 1e9 }),
      aLine({ line: 11, base_attributed: null, candidate_attributed: null }),
    ]);
    expect(screen.getByRole('columnheader', { name: 'Attributed change' })).toBeInTheDocument();
    expect(cells().map((row) => row.slice(3, 6))).toEqual([
      ['0.50', '1.00', '+0.50'],
      ['–', '–', '0'],
    ]);
  });

  it('scales each side by its own factor', async () => {
    await lines([aLine()], { unit: 'share', base: 0.25e-9, candidate: 0.125e-9 });
    expect(cells()).toEqual([['10', '25.0', '37.5', '50.0', '50.0', '0']]);
    expect(tones()).toEqual(['muted']);
  });

  it('draws bars as long as their values, in the color of the change', async () => {
    await lines([
      aLine({ line: 1, base_total: 1e9, candidate_total: 4e9 }),
      aLine({ line: 2, base_total: 2e9, candidate_total: 2e9 }),
      aLine({ line: 3, base_total: 2e9, candidate_total: 1e6 }),
    ]);
    const bars = [...document.querySelectorAll('rect')].map((bar) => [
      bar.getAttribute('width'),
      bar.getAttribute('fill'),
    ]);
    expect(bars).toEqual([
      ['25', 'var(--noise-line)'],
      ['100', 'var(--more)'],
      ['50', 'var(--noise-line)'],
      ['50', 'var(--noise-line)'],
      ['50', 'var(--noise-line)'],
      ['1', 'var(--less)'],
    ]);
  });

  it('draws no bars for values of zero', async () => {
    await lines([aLine({ base_self: 0, base_total: 0, candidate_self: 0, candidate_total: 0 })]);
    expect(cells()).toEqual([['10', '–', '–', '–', '–', '0']]);
    expect([...document.querySelectorAll('rect')].map((bar) => bar.getAttribute('width'))).toEqual([
      '0',
      '0',
    ]);
  });

  it('shows that a function has no line information', async () => {
    await lines([]);
    expect(screen.getByText('No line information for this function.')).toBeInTheDocument();
  });

  it('closes on click on "Close lines"', async () => {
    const { user, closed } = await lines([aLine()]);
    await user.click(screen.getByRole('button', { name: 'Close lines' }));
    expect(closed).toEqual([true]);
  });

  it('shows the error of a failed load, and loads on "Try again"', async () => {
    let failing = true;
    server.use(
      http.get(at('/comparisons/c1/views/v1/lines'), () =>
        failing
          ? problem(404, { title: 'Not found', detail: 'The view was deleted.' })
          : HttpResponse.json([aLine()]),
      ),
    );
    const { user } = show(
      <SourceLinesDrawer
        comparisonId="c1"
        viewId="v1"
        name={NAME}
        scaled={PER_SECOND}
        assembly={false}
        onAssembly={() => undefined}
        onClose={() => undefined}
      />,
    );
    expect(await screen.findByRole('alert')).toHaveTextContent('The view was deleted.');
    failing = false;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText(/1 line with samples/u)).toBeInTheDocument();
  });

  it('shows no dialog when no function is chosen', () => {
    show(
      <SourceLinesDrawer
        comparisonId="c1"
        viewId="v1"
        name=""
        scaled={PER_SECOND}
        assembly={false}
        onAssembly={() => undefined}
        onClose={() => undefined}
      />,
    );
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
