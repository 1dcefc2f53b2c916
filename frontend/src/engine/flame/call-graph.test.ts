import { describe, expect, test } from 'vitest';
import { drawnDiff } from '../../testing/diff-fixtures';
import { sumCalls, sumFunctions } from './call-graph';
import { PRUNING_LIMITS, pruneCallGraph } from './call-graph-pruning';
import { readDiffPart } from './diff-part';
import { openTree, type DiffTree } from './diff-tree';

const ONE = { base: 0, candidate: 1 };

const tree = (text: string): DiffTree => openTree(readDiffPart(drawnDiff(text)));

/** Returns sorted "caller > callee 12" texts, with "~>" for indirect calls. */
function callsOf(of: DiffTree, kept: (name: string) => boolean = () => true): string[] {
  const { names } = of;
  return sumCalls(of, (id) => kept(names.text(id)))
    .map(({ caller, callee, candidate, indirect }) =>
      [names.text(caller), indirect ? '~>' : '>', names.text(callee), candidate].join(' '),
    )
    .sort();
}

const SERVICE = `
main 0 0
  handle 0 10
    read 0 30
    write 0 20
  admin 0 5
    read 0 5
`;

describe('sumCalls', () => {
  test('sums calls over all stacks', () => {
    expect(callsOf(tree(SERVICE))).toEqual([
      'admin > read 5',
      'handle > read 30',
      'handle > write 20',
      'main > admin 10',
      'main > handle 60',
    ]);
  });

  test('joins calls to the nearest caller that is shown', () => {
    expect(callsOf(tree(SERVICE), (name) => name === 'main' || name === 'read')).toEqual([
      'main ~> read 35',
    ]);
  });

  test('counts recursive calls and functions once per stack', () => {
    const recursive = tree(`
main 0 0
  walk 0 1
    walk 0 2
      walk 0 4
`);
    expect(callsOf(recursive)).toEqual(['main > walk 7', 'walk > walk 6']);
    const functions = sumFunctions(recursive);
    const walk = recursive.names.find('walk');
    expect([functions.candidateSelf[walk], functions.candidateTotal[walk]]).toEqual([7, 7]);
  });
});

describe('pruneCallGraph', () => {
  test('omits functions and calls below their share and counts them', () => {
    const { nodes, edges, leftOut, whole } = pruneCallGraph(
      tree(`
main 0 0
  large 0 990
    small 0 6
  tiny 0 4
`),
      ONE,
    );
    expect(whole).toBe(1000);
    expect(nodes.map(({ text }) => text).sort()).toEqual(['large', 'main', 'small']);
    expect(edges).toHaveLength(2);
    expect(leftOut).toEqual({ functions: 1, calls: 0, largest: 4 });
  });

  test('keeps the most informative functions when there are too many', () => {
    const { nodes, edges, leftOut } = pruneCallGraph(tree(SERVICE), ONE, {
      ...PRUNING_LIMITS,
      nodes: 3,
    });
    // Functions at which cost branches are more informative than those with one callee.
    expect(nodes.map(({ text }) => text).sort()).toEqual(['handle', 'main', 'read']);
    expect(leftOut.functions).toBe(2);
    expect(edges.filter(({ indirect }) => indirect)).toHaveLength(0);
  });

  test('scales the values of both sides to display units', () => {
    const { nodes, edges } = pruneCallGraph(tree('main 0 0\n  work 10 30'), {
      base: 1,
      candidate: 2,
    });
    const work = nodes.find(({ text }) => text === 'work');
    expect(work).toMatchObject({ base: { self: 10 }, candidate: { self: 60 } });
    expect(edges[0]).toMatchObject({ base: 10, candidate: 60, weight: 70 });
  });
});
