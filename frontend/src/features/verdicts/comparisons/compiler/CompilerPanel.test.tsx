import { fireEvent, screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CompilerFinding, CompilerSection, StackPath } from '../../../../api';
import { at, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import { CompilerAbsence } from './CompilerAbsence';
import { CompilerLine } from './CompilerLine';
import { CompilerPanel } from './CompilerPanel';
import { depthBars, explanationOf } from './compiler-wording';

const side = (depth: number, stack: number) => ({
  lowest_depth_bytes: depth,
  highest_depth_bytes: depth,
  stack_bytes: stack,
  free_bytes: stack - 928 - depth,
  frames: [],
});

const PATH: StackPath = {
  stack: ['main.main', 'example.com/ident.cloneBytes'],
  share: 0.2,
  base: side(3120, 4096),
  candidate: side(3192, 8192),
};

const crossing: CompilerFinding = {
  kind: 'edge-crossed',
  grade: 'predicted',
  is_exact: true,
  function: 'example.com/ident.cloneBytes',
  callee: null,
  file: 'pool.go',
  line: 47,
  sentence:
    'ident.Clone now calls ident.cloneBytes (frame 40 B); the path of 31 frames crosses 3,168.',
  advice: 'Reuse goroutines.',
  explains: 0,
  is_cause: true,
  path: 0,
  edge_bytes: 3168,
};

const unattached: CompilerFinding = {
  ...crossing,
  kind: 'frame-grew',
  grade: 'binary',
  is_exact: false,
  sentence: 'The frame of ident.Other grew from 8 to 16 B.',
  advice: '',
  explains: null,
  is_cause: false,
  path: null,
  edge_bytes: null,
};

const build = { go_version: 'go1.26.8', arch: 'amd64', build_id: 'a', pgo: null };

const aSection = (changed: Partial<CompilerSection> = {}): CompilerSection => ({
  base: build,
  candidate: build,
  differences: [],
  findings: [crossing, unattached],
  paths: [PATH],
  ...changed,
});

const panel = (
  section: CompilerSection,
  finding = 0,
  onAssembly: (name: string) => void = () => undefined,
) => {
  show(
    <CompilerPanel comparisonId="c1" section={section} finding={finding} onAssembly={onAssembly} />,
  );
  return within(screen.getByRole('region', { name: 'Compiler' }));
};

beforeEach(() =>
  server.use(http.get(at('/comparisons/c1/compiler-reasons'), () => HttpResponse.json([]))),
);

describe('CompilerPanel', () => {
  it('shows statements with grade and source location, the stack depths and the advice', () => {
    const shown = panel(aSection());
    const [first, second] = shown.getAllByRole('listitem');
    expect(first).toHaveTextContent('crosses 3,168. predicted, exact, cause · pool.go:47');
    expect(second).toHaveTextContent('grew from 8 to 16 B. binary proves · pool.go:47');
    expect(shown.getByRole('figure')).toHaveTextContent('base3,12048 freecandidate3,19224 over');
    expect(shown.getByText('Reuse goroutines.')).toBeInTheDocument();
  });

  it('names the sides whose stacks are followed by addresses', () => {
    const shown = panel(aSection({ addressed: ['base', 'candidate'] }));
    const text =
      'Stacks of the base and the candidate are followed by the addresses in the profiles.';
    expect(shown.getByText(text)).toBeInTheDocument();
  });

  it('lists different instances of generic functions, and shows the note on the PGO profile', () => {
    const code = (size: number) => ({ size_bytes: size, frame_bytes: 24, inlined: 1 });
    const shown = panel(
      aSection({
        pgo_comparison: '-pgo: only the path is compared.',
        omitted_instances: 3,
        instances: [
          {
            change: 'changed',
            function: 'example.com/list.Map[...]',
            type_arguments: 'go.shape.int',
            is_on_stack: true,
            base: code(80),
            candidate: code(1200),
          },
          {
            change: 'added',
            function: 'example.com/list.Map[...]',
            type_arguments: 'go.shape.string,go.shape.[]uint8',
            is_on_stack: false,
            base: null,
            candidate: code(96),
          },
        ],
      }),
    );
    expect(shown.getByText('-pgo: only the path is compared.')).toBeInTheDocument();
    expect(
      shown.getByText('5 new, removed or changed instances of generic functions'),
    ).toBeInTheDocument();
    const items = shown.getAllByRole('listitem', { hidden: true });
    expect(items[2]).toHaveTextContent(
      'changed list.Map[...] with int code 80 → 1,200 B, frame 24 B, inlined calls 1 · its function is on these stacks',
    );
    expect(items[3]).toHaveTextContent(
      'new list.Map[...] with string, []uint8 code 96 B, frame 24 B, inlined calls 1',
    );
    expect(shown.getByText('3 further instances not listed.')).toBeInTheDocument();
  });

  it('shows compiler reasons only for functions of its statements', async () => {
    const sentence = (name: string) => `example.com/ident.${name} is no longer inlined: cost 117.`;
    const reason = (name: string) => ({
      function: `example.com/ident.${name}`,
      sentence: sentence(name),
      file: 'pool.go',
      line: 24,
    });
    server.use(
      http.get(at('/comparisons/c1/compiler-reasons'), () =>
        HttpResponse.json([reason('cloneBytes'), reason('unrelated')]),
      ),
    );
    panel(aSection());
    const shown = await screen.findByText(/compiler says/u);
    expect(shown.closest('li')).toHaveTextContent(
      'ident.cloneBytes is no longer inlined: cost 117. compiler says · pool.go:24',
    );
    expect(screen.queryByText(/unrelated/u)).toBeNull();
  });

  it('opens the assembly of the function of a statement', () => {
    const opened: string[] = [];
    panel(aSection(), 0, (name) => opened.push(name));
    fireEvent.click(screen.getAllByRole('button', { name: 'Assembly' })[0]!);
    expect(opened).toEqual(['example.com/ident.cloneBytes']);
  });

  it('shows no stack depths for a finding that the crossing does not explain', () => {
    const shown = panel(aSection(), 1);
    expect(shown.getAllByRole('listitem')).toHaveLength(1);
    expect(shown.queryByRole('figure')).toBeNull();
  });

  it('shows different build settings when no function differs', () => {
    const differences = [{ setting: 'Go version', base: 'go1.25.1', candidate: '' }];
    expect(
      panel(aSection({ differences, findings: [] })).getByText(/go1.25.1 in base, unset in cand/u),
    ).toBeInTheDocument();
    expect(screen.getByText(/No difference in the functions/u)).toBeInTheDocument();
  });

  it('shows different build settings above the statements', () => {
    panel(aSection({ differences: [{ setting: 'GOAMD64', base: 'v1', candidate: 'v3' }] }));
    expect(screen.getByRole('region', { name: 'Compiler' })).toHaveTextContent(
      /GOAMD64.*crosses 3,168/u,
    );
  });
});

describe('CompilerAbsence', () => {
  const absence = (changed: object) =>
    server.use(
      http.get(at('/comparisons/c1/compiler-absence'), () =>
        HttpResponse.json({
          reasons: ['No executable of the base is stored.'],
          remedy: 'Upload it.',
          is_changing: false,
          can_compute_again: false,
          ...changed,
        }),
      ),
    );

  it('shows why the compiler section is absent, and the remedy', async () => {
    absence({});
    show(<CompilerAbsence comparisonId="c1" mayWrite />);
    const shown = await screen.findByRole('region', { name: 'Compiler' });
    expect(shown).toHaveTextContent('No executable of the base is stored. Upload it.');
    expect(within(shown).queryByRole('button', { name: 'Compute again' })).toBeNull();
  });

  it('shows "Compute again" if that helps, except to viewers', async () => {
    let asked = 0;
    server.use(
      http.post(at('/comparisons/c1/retry'), () => {
        asked += 1;
        return HttpResponse.json({});
      }),
    );
    absence({ can_compute_again: true });
    const shown = show(<CompilerAbsence comparisonId="c1" mayWrite />);
    await shown.user.click(await screen.findByRole('button', { name: 'Compute again' }));
    expect(asked).toBe(1);
    shown.unmount();
    show(<CompilerAbsence comparisonId="c1" mayWrite={false} />);
    await screen.findByRole('region', { name: 'Compiler' });
    expect(screen.queryByRole('button', { name: 'Compute again' })).toBeNull();
  });
});

describe('CompilerLine and explanationOf', () => {
  it('CompilerLine shows function names of the path in code type and ends with the grade', () => {
    const named = [{ ...PATH, stack: ['example.com/ident.Clone', ...PATH.stack] }];
    show(<CompilerLine section={aSection({ paths: named })} finding={0} />);
    expect(screen.getByText('ident.Clone')).toHaveClass('mono');
    expect(screen.getByText('Compiler').closest('p')).toHaveTextContent(
      'crosses 3,168. predicted, exact',
    );
  });

  it('explanationOf returns the first statement that explains a finding, or undefined', () => {
    expect(explanationOf(aSection(), 0)).toBe(crossing);
    expect(explanationOf(aSection(), 1)).toBeUndefined();
    expect(explanationOf(null, 0)).toBeUndefined();
  });
});

describe('depthBars', () => {
  it.each([
    [3168, 'no room', 0],
    [3167, '1 free', 0],
    [3200, '32 over', 32 / (3200 * 1.25)],
  ])('ends the bar of %d bytes with the note "%s"', (depth, note, beyond) => {
    const { bars } = depthBars({ ...PATH, candidate: side(depth, 8192) }, 3168);
    expect(bars[1]).toMatchObject({ note });
    expect(bars[1]?.beyond).toBeCloseTo(beyond);
  });
});
