import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createRef, useState } from 'react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { FlameView } from '../../engine/flame/flame-view';
import { EMPTY_VIEW, namesKey, pathKey } from '../../engine/flame/flame-view';
import { drawnDiff, randomTree, writeParts } from '../../testing/diff-fixtures';
import { FlameGraph } from './FlameGraph';
import type { FlameGraphHandle, FlameGraphProps, FlameSource } from './flame-props';

const TEXT = `
main 0 0
  ident.Clone 10 10 1
    runtime.newstack 5 50 1 r
  ident.get 20 0 4
`;

beforeEach(() => {
  // jsdom has no layout and no canvas: a width is enough for everything but the picture itself.
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1000);
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
});

const example = (): FlameSource => ({
  key: 'example',
  first: drawnDiff(TEXT),
  rest: null,
  restState: 'none',
});

function shown(props: Partial<FlameGraphProps> = {}, start: Partial<FlameView> = {}) {
  const views: FlameView[] = [];
  const graph = createRef<FlameGraphHandle>();
  const source = props.source ?? example();
  function Page() {
    const [view, setView] = useState<FlameView>({ ...EMPTY_VIEW, ...start });
    return (
      <FlameGraph
        ref={graph}
        source={source}
        view={view}
        chips
        onViewChange={(next) => {
          views.push(next);
          setView(next);
        }}
        {...props}
      />
    );
  }
  render(<Page />);
  return { views, graph, element: screen.getByRole('application') };
}

describe('FlameGraph', () => {
  test('shows the number of drawn frames and the legend', async () => {
    shown();
    expect(await screen.findByText('all 5 frames drawn')).toBeInTheDocument();
    expect(screen.getByText('only in candidate')).toBeInTheDocument();
  });

  test('shows how many nodes are not loaded yet', async () => {
    const { first } = writeParts(randomTree(600, 2), 50);
    shown({ source: { key: 'big', first, rest: null, restState: 'loading' } });
    expect(
      await screen.findByText('showing the 50 largest of 600, rest is loading'),
    ).toBeInTheDocument();
  });

  test('merges the rest of the tree when it is loaded', async () => {
    const { first, rest } = writeParts(randomTree(600, 2), 50);
    shown({ source: { key: 'big', first, rest, restState: 'loaded' } });
    await waitFor(() => {
      expect(screen.getByRole('application')).toHaveAttribute('aria-busy', 'false');
      expect(screen.queryByText(/showing the/u)).toBeNull();
      expect(screen.getByText(/drawn/u)).toBeInTheDocument();
    });
  });

  test('moves by arrow keys and announces the frame in words', async () => {
    const { element } = shown();
    await screen.findByText(/frames drawn/u);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown'])
      fireEvent.keyDown(element, { key });
    expect(document.querySelector('[aria-live]')?.textContent).toBe(
      'runtime.newstack. stack growth. takes more time: base 5 ns, candidate 50 ns per request, +45 ns. ' +
        'times 10.0, 95% interval 9.00 to 11.0, q < .001 · on 1 stack. Level 3, 0 children.',
    );
  });

  test('zooms to a frame by its path key, and resets', async () => {
    const { element, views } = shown();
    await screen.findByText(/frames drawn/u);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter'])
      fireEvent.keyDown(element, { key });
    await waitFor(() =>
      expect(views.at(-1)).toEqual({ ...EMPTY_VIEW, zoom: pathKey(['main', 'ident.Clone']) }),
    );
    fireEvent.keyDown(element, { key: '0' });
    await waitFor(() => expect(views.at(-1)).toEqual(EMPTY_VIEW));
  });

  test('switches to one side and to callers and callees by keys', async () => {
    const { element, views } = shown();
    await screen.findByText(/frames drawn/u);
    fireEvent.keyDown(element, { key: 'b' });
    expect(views.at(-1)?.mode).toBe('base');
    for (const key of ['b', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'f'])
      fireEvent.keyDown(element, { key });
    expect(views.at(-1)).toMatchObject({ mode: 'overlay', sandwich: 'ident.Clone' });
    expect(await screen.findByTitle('Remove this filter')).toHaveTextContent('ident.Clone');
  });

  test('keeps the frame at the cursor when the side changes', async () => {
    const { element } = shown();
    await screen.findByText(/frames drawn/u);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'c'])
      fireEvent.keyDown(element, { key });
    expect(await screen.findByText('width = candidate')).toBeInTheDocument();
    await screen.findByText('all 4 frames drawn');
    await waitFor(() =>
      expect(document.querySelector('[aria-live]')?.textContent).toMatch(/^runtime\.newstack/u),
    );
  });

  test('reports the totals of a search', async () => {
    const onSearchTotals = vi.fn();
    shown(
      { onSearchTotals },
      { search: { pattern: 'newstack|get', regex: true, caseSensitive: false } },
    );
    await waitFor(() => {
      expect(onSearchTotals).toHaveBeenLastCalledWith(
        expect.objectContaining({ frames: 2, base: 25, candidate: 50, error: null }),
      );
    });
  });

  test('zooms to the path of a finding and reports an unknown function', async () => {
    const { graph, views } = shown();
    await screen.findByText(/frames drawn/u);
    await act(async () => {
      expect(await graph.current?.zoomToPath(['ident.Clone', 'runtime.newstack'])).toBe(true);
      expect(await graph.current?.zoomToFunction('nowhere')).toBe(false);
    });
    await waitFor(() =>
      expect(views.at(-1)?.zoom).toBe(pathKey(['main', 'ident.Clone', 'runtime.newstack'])),
    );
  });

  test('exports the visible graph as SVG', async () => {
    const { graph } = shown();
    await screen.findByText(/frames drawn/u);
    const svg = await waitFor(() => {
      const written = graph.current?.exportSvg() ?? '';
      expect(written).toContain('ident.Clone');
      return written;
    });
    for (const name of ['main', 'runtime.newstack', 'ident.get']) expect(svg).toContain(name);
  });

  test('exports only the frames of a zoomed graph as SVG', async () => {
    const { graph } = shown({}, { zoom: pathKey(['main', 'ident.Clone']) });
    await screen.findByText(/frames drawn/u);
    await waitFor(() => expect(graph.current?.exportSvg()).toContain('runtime.newstack'));
    expect(graph.current?.exportSvg()).not.toContain('ident.get');
  });

  test('shows a link of the page as the last menu item, reachable by keys', async () => {
    const { element } = shown({
      menuLink: (name) => (
        <a role="menuitem" tabIndex={-1} href="https://code.example/x.go">
          Open {name}
        </a>
      ),
    });
    await screen.findByText(/frames drawn/u);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'm'])
      fireEvent.keyDown(element, { key });
    fireEvent.keyDown(screen.getByRole('menu'), { key: 'End' });
    expect(screen.getByRole('menuitem', { name: 'Open ident.Clone' })).toHaveFocus();
  });

  test('opens the menu of a frame by key and applies its focus filter', async () => {
    const { element, views } = shown();
    await screen.findByText(/frames drawn/u);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'm'])
      fireEvent.keyDown(element, { key });
    const entry = await screen.findByRole('menuitem', { name: /Focus/u });
    fireEvent.click(entry);
    expect(views.at(-1)?.focus).toBe(String.raw`^ident\.Clone$`);
    expect(screen.queryByRole('menu')).toBeNull();
  });

  test('shows an error for unreadable data', async () => {
    shown({ source: { key: 'bad', first: new ArrayBuffer(3), rest: null, restState: 'none' } });
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The data is shorter than its prefix',
    );
    expect(screen.getByRole('application')).toHaveAttribute('aria-busy', 'false');
  });

  test('shows a message when a link zooms to a missing frame', async () => {
    shown({}, { zoom: '0123456789abcdef' });
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The frame in this link was not found. The whole graph is shown.',
    );
  });
});

describe('FlameGraph of a deep stack', () => {
  const CALLERS = Array.from({ length: 24 }, (_, at) => `pkg.caller${at}`);
  const stack = [
    ...CALLERS.map((name, at) => `${'  '.repeat(at)}${name} 0 0 1`),
    `${'  '.repeat(24)}pkg.culprit 5 80 1`,
  ].join('\n');
  const source: FlameSource = {
    key: 'stack',
    first: drawnDiff(stack),
    rest: null,
    restState: 'none',
  };
  const start = { collapseCallers: true };

  test('collapses callers into one counted, announced frame, and Enter expands it', async () => {
    const counts: number[] = [];
    const { views, element } = shown(
      { source, onCallersCollapsed: (count) => counts.push(count) },
      start,
    );
    await screen.findByText('all 3 frames drawn');
    expect(counts.at(-1)).toBe(24);
    act(() => element.focus());
    for (const key of ['ArrowDown', 'ArrowDown']) fireEvent.keyDown(element, { key });
    expect(
      await screen.findByText(
        /^24 callers, same increase, pkg\.caller0 … pkg\.caller23, Enter expands\. /u,
      ),
    ).toBeInTheDocument();
    expect(screen.getByText('24 callers, same increase')).toBeInTheDocument();
    fireEvent.keyDown(element, { key: 'f' });
    expect(views).toEqual([]);
    fireEvent.keyDown(element, { key: 'Enter' });
    expect(views.at(-1)).toMatchObject({
      collapseCallers: true,
      expanded: pathKey(['pkg.caller0']),
    });
    expect(await screen.findByText('all 26 frames drawn')).toBeInTheDocument();
    expect(counts.at(-1)).toBe(0);
  });

  test('has a menu on collapsed callers that expands all of them', async () => {
    const { element, views } = shown({ source }, start);
    await screen.findByText('all 3 frames drawn');
    act(() => element.focus());
    for (const key of ['ArrowDown', 'ArrowDown', 'm']) fireEvent.keyDown(element, { key });
    const menu = await screen.findByRole('menu');
    expect(menu).toHaveAccessibleName('Actions for 24 callers, same increase');
    fireEvent.click(screen.getByRole('menuitem', { name: 'Expand all callers' }));
    expect(views.at(-1)?.collapseCallers).toBe(false);
  });

  test('exports collapsed callers as SVG with the caller that a search found', async () => {
    const pattern = { pattern: 'caller7$', regex: true, caseSensitive: true };
    const { graph } = shown({ source }, { ...start, search: pattern });
    await screen.findByText('all 3 frames drawn');
    const svg = graph.current!.exportSvg();
    expect(svg).toContain('24 callers, same increase · match: pkg.caller7');
    expect(svg).toContain('height="26"');
    expect(svg).toContain('pkg.culprit');
  });

  test('scrolls to a frame at a depth of 200 for a zoom by names, without changing the view', async () => {
    const deep = Array.from({ length: 200 }, (_, at) => `${'  '.repeat(at)}f${at} ${at} ${at} 0`);
    const text = [...deep, `${'  '.repeat(200)}culprit 5000 90000 1`].join('\n');
    const { element, views } = shown(
      { source: { ...source, key: 'deep', first: drawnDiff(text) }, maxHeight: 470 },
      { zoom: namesKey(['f199', 'culprit']) },
    );
    await waitFor(() => expect(element.scrollTop).toBeGreaterThan(201 * 18 - 470));
    expect(element.scrollTop).toBeLessThanOrEqual(201 * 18);
    expect(views).toEqual([]);
  });
});

describe('FlameGraph moving to a linked frame', () => {
  test('replaces the history entry and never adds one', async () => {
    const text = `
main 0 0
  wide 60 60
  narrow 40 40
`;
    const changes: [string, boolean | undefined][] = [];
    shown(
      {
        source: { ...example(), first: drawnDiff(text) },
        onViewChange: (next, replace) => changes.push([next.zoom, replace]),
      },
      { zoom: namesKey(['main', 'narrow']), span: { from: 0, to: 0.5 } },
    );
    await waitFor(() => expect(changes).not.toEqual([]));
    expect(changes.every(([, replace]) => replace)).toBe(true);
  });
});

describe('FlameGraph of one profile', () => {
  const ONE = `
main 0 0
  ident.Clone 0 10
    runtime.newstack 0 50 0 r
`;
  const oneSided = (category = '') =>
    shown(
      {
        source: { key: 'one', first: drawnDiff(ONE), rest: null, restState: 'none' },
        oneSide: { width: 'CPU time per request, 60 ns', selected: category },
      },
      { mode: 'candidate', category: 'stack-growth' },
    );

  test('shows neither base nor candidate', async () => {
    const { element } = oneSided();
    expect(await screen.findByText('width = CPU time per request, 60 ns')).toBeInTheDocument();
    expect(await screen.findByText('all 4 frames drawn')).toBeInTheDocument();
    expect(screen.queryByText('only in candidate')).toBeNull();
    element.focus();
    fireEvent.keyDown(element, { key: 'ArrowDown' });
    fireEvent.keyDown(element, { key: 'ArrowDown' });
    await waitFor(() =>
      expect(document.body).toHaveTextContent(
        'main. application. self –, total 60 ns per request, 100%. Level 1, 1 child.',
      ),
    );
    expect(document.body).not.toHaveTextContent(/base|candidate/);
  });

  test('shows the selected category with its share', async () => {
    oneSided('stack growth, 83%');
    expect(await screen.findByText('stack growth, 83%')).toBeInTheDocument();
  });

  test('exports frames with self and total values and without a candidate', async () => {
    const { graph } = oneSided();
    await screen.findByText('all 4 frames drawn');
    const svg = graph.current?.exportSvg() ?? '';
    expect(svg).toContain('runtime.newstack: self 50 ns, total 50 ns per request');
    expect(svg).not.toContain('candidate');
  });

  test('fills only the frames of the selected category', async () => {
    document.documentElement.style.setProperty('--q1', '#123456');
    const { graph } = oneSided('stack growth, 83%');
    await screen.findByText('all 4 frames drawn');
    const svg = graph.current?.exportSvg() ?? '';
    document.documentElement.style.removeProperty('--q1');
    const filled = [
      ...svg.matchAll(/<title>([\w.]+): self[^<]*<\/title><rect[^>]*fill="#123456"/gu),
    ];
    expect(filled.map(([, name]) => name)).toEqual(['runtime.newstack']);
  });
});
