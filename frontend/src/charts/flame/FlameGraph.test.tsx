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

describe('the flame graph', () => {
  test('says what is drawn', async () => {
    shown();
    expect(await screen.findByText('all 5 frames drawn')).toBeInTheDocument();
    expect(screen.getByText('only in candidate')).toBeInTheDocument();
  });

  test('says what is not there yet', async () => {
    const { first } = writeParts(randomTree(600, 2), 50);
    shown({ source: { key: 'big', first, rest: null, restState: 'loading' } });
    expect(
      await screen.findByText('showing the 50 largest of 600, rest is loading'),
    ).toBeInTheDocument();
  });

  test('merges the rest when it has come', async () => {
    const { first, rest } = writeParts(randomTree(600, 2), 50);
    shown({ source: { key: 'big', first, rest, restState: 'loaded' } });
    await waitFor(() => {
      expect(screen.getByRole('application')).toHaveAttribute('aria-busy', 'false');
      expect(screen.queryByText(/showing the/u)).toBeNull();
      expect(screen.getByText(/drawn/u)).toBeInTheDocument();
    });
  });

  test('walks by keys and describes the frame in words', async () => {
    const { element } = shown();
    await screen.findByText(/frames drawn/u);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown'])
      fireEvent.keyDown(element, { key });
    expect(document.querySelector('[aria-live]')?.textContent).toBe(
      'runtime.newstack. stack growth. takes more time: base 5 ns, candidate 50 ns per request, +45 ns. ' +
        'times 10.0, 95% interval 9.00 to 11.0, q < .001 · on 1 stack. Level 3, 0 children.',
    );
  });

  test('zooms by a stable key, and back', async () => {
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

  test('asks for one side, and for callers and callees', async () => {
    const { element, views } = shown();
    await screen.findByText(/frames drawn/u);
    fireEvent.keyDown(element, { key: 'b' });
    expect(views.at(-1)?.mode).toBe('base');
    for (const key of ['b', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'f'])
      fireEvent.keyDown(element, { key });
    expect(views.at(-1)).toMatchObject({ mode: 'overlay', sandwich: 'ident.Clone' });
    expect(await screen.findByTitle('Remove this filter')).toHaveTextContent('ident.Clone');
  });

  test('keeps the frame of the keyboard when the side changes', async () => {
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

  test('announces what a search found', async () => {
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

  test('opens at a path that a finding names', async () => {
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

  test('writes what is seen as SVG', async () => {
    const { graph } = shown();
    await screen.findByText(/frames drawn/u);
    await waitFor(() => expect(graph.current?.exportSvg()).toContain('ident.Clone'));
  });

  test('has a link of the page as the last entry of a menu, reached by keys', async () => {
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

  test('keeps the menu for the frame, by keyboard too', async () => {
    const { element, views } = shown();
    await screen.findByText(/frames drawn/u);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'm'])
      fireEvent.keyDown(element, { key });
    const entry = await screen.findByRole('menuitem', { name: /Focus/u });
    fireEvent.click(entry);
    expect(views.at(-1)?.focus).toBe(String.raw`^ident\.Clone$`);
    expect(screen.queryByRole('menu')).toBeNull();
  });

  test('names what it cannot read', async () => {
    shown({ source: { key: 'bad', first: new ArrayBuffer(3), rest: null, restState: 'none' } });
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The data is shorter than its prefix',
    );
    expect(screen.getByRole('application')).toHaveAttribute('aria-busy', 'false');
  });

  test('says so when a link zooms to a frame that is not there', async () => {
    shown({}, { zoom: '0123456789abcdef' });
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The frame in this link was not found. The whole graph is shown.',
    );
  });
});

describe('collapsed callers', () => {
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

  test('are counted, spoken with the first and last name, and expanded by Enter', async () => {
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

  test('have a menu that expands these or all', async () => {
    const { element, views } = shown({ source }, start);
    await screen.findByText('all 3 frames drawn');
    act(() => element.focus());
    for (const key of ['ArrowDown', 'ArrowDown', 'm']) fireEvent.keyDown(element, { key });
    const menu = await screen.findByRole('menu');
    expect(menu).toHaveAccessibleName('Actions for 24 callers, same increase');
    fireEvent.click(screen.getByRole('menuitem', { name: 'Expand all callers' }));
    expect(views.at(-1)?.collapseCallers).toBe(false);
  });

  test('are in the exported SVG, and show the caller that a search found', async () => {
    const pattern = { pattern: 'caller7$', regex: true, caseSensitive: true };
    const { graph } = shown({ source }, { ...start, search: pattern });
    await screen.findByText('all 3 frames drawn');
    const svg = graph.current!.exportSvg();
    expect(svg).toContain('24 callers, same increase · match: pkg.caller7');
    expect(svg).toContain('height="26"');
    expect(svg).toContain('pkg.culprit');
  });

  test('a zoom by names brings a frame at a depth of 200 into sight, without a change of the view', async () => {
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

describe('a frame that is brought into sight', () => {
  test('replaces the entry of the history, never adds a step to it', async () => {
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

describe('the flame graph of one profile', () => {
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

  test('names no sides', async () => {
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

  test('explains the selected category', async () => {
    oneSided('stack growth, 83%');
    expect(await screen.findByText('stack growth, 83%')).toBeInTheDocument();
  });

  test('fills the frames of the selected category', async () => {
    const { graph } = oneSided();
    await screen.findByText('all 4 frames drawn');
    const svg = graph.current?.exportSvg() ?? '';
    expect(svg).toContain('runtime.newstack: self 50 ns, total 50 ns per request');
    expect(svg).not.toContain('candidate');
  });
});
