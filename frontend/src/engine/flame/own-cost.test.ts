import { describe, expect, test } from 'vitest';
import { drawnDiff } from '../../testing/diff-fixtures';
import { readDiffPart } from './diff-part';
import { openTree } from './diff-tree';
import { isFromCallees, ownCosts } from './own-cost';
import { draftOfTree } from './tree-draft';

function ownOf(text: string): Record<string, [number, number]> {
  const tree = openTree(readDiffPart(drawnDiff(text)));
  const draft = draftOfTree(tree, 0);
  const own = ownCosts(draft);
  return Object.fromEntries(
    Array.from({ length: draft.count }, (_, row): [string, [number, number]] => [
      tree.names.text(draft.name[row]!),
      [own.base[row]!, own.candidate[row]!],
    ]),
  );
}

describe('own cost', () => {
  test('is the self value plus the runtime cost below the frame, at any depth of runtime frames', () => {
    const own = ownOf(`
main 1 2
  clone 10 20
    runtime.newstack 5 50 1 r
      runtime.copystack 2 30 1 r
    get 20 4
      runtime.mallocgc 3 3 0 r
`);
    expect(own.clone).toEqual([17, 100]);
    expect(own.get).toEqual([23, 7]);
    expect(own.main).toEqual([1, 2]);
  });

  test('is only the self value for a runtime frame, and user code below has its own cost', () => {
    const own = ownOf(`
runtime.main 1 1 0 r
  main 0 0
    runtime.call 4 4 0 r
      callback 7 9
        runtime.mallocgc 1 2 0 r
`);
    expect(own['runtime.main']).toEqual([1, 1]);
    expect(own.main).toEqual([4, 4]);
    expect(own['runtime.call']).toEqual([4, 4]);
    expect(own.callback).toEqual([8, 11]);
  });

  test.each([
    [0, 100, true],
    [9, 100, true],
    [11, 100, false],
    [-5, 100, true],
    [0, -100, true],
    [-60, -100, false],
    [0, 0, true],
  ])('change of %d out of %d comes from callees: %s', (own, total, expected) => {
    expect(isFromCallees(own, total)).toBe(expected);
  });
});
