import { describe, expect, test } from 'vitest';
import { drawnDiff } from '../../testing/diff-fixtures';
import { FlameModel } from './flame-model';
import { EMPTY_VIEW, type FlameView } from './flame-view';
import { panesOf } from './flame-viewport';
import { levelsShown } from './zoomed-levels';

const TEXT = `
a 10 10
  deep 1 1
    deeper 1 1
      deepest 50 50
b 10 10
  leaf 20 20
    tiny 0.001 0.001
      tinier 0.001 0.001
`;

function arranged(change: Partial<FlameView> = {}) {
  const model = new FlameModel();
  model.open(drawnDiff(TEXT));
  return model.arrange({ ...EMPTY_VIEW, ...change })!;
}

const frameOf = (now: ReturnType<typeof arranged>, name: string): number =>
  Array.from(now.tables[0]!.name).findIndex((id) => now.names.text(id) === name);

const levels = (name: string, span: { from: number; to: number } | null = null, width = 1000) => {
  const now = arranged();
  return levelsShown(now, { table: 0, frame: name === '' ? 0 : frameOf(now, name) }, span, width);
};

describe('levelsShown', () => {
  test('returns the levels of the zoomed frame without frames narrower than a pixel', () => {
    expect(levels('')).toEqual([5]);
    expect(levels('a')).toEqual([5]);
    expect(levels('b')).toEqual([4]);
    expect(levels('leaf')).toEqual([4]);
    expect(levels('tinier')).toEqual([5]);
  });

  test('includes narrow frames wherever a span is, within or beyond the frame', () => {
    const starts = [0, 0.1, 0.5, 0.9];
    const moved = starts.map((from) => levels('b', { from, to: from + 0.1 }));
    expect(moved).toEqual([[5], [5], [5], [5]]);
    expect(levels('leaf', { from: -0.1, to: 0.9 })).toEqual([5]);
  });

  test('determines the height and the rows in both orientations', () => {
    const now = arranged();
    for (const orientation of ['icicle', 'flame'] as const) {
      const { rows, panes } = panesOf(now, orientation, 1000, levels('b'));
      expect(rows).toBe(4);
      expect(panes[0]).toMatchObject({ lastLevel: 3, originRow: orientation === 'icicle' ? 0 : 3 });
    }
  });

  test('returns all levels of a table that is not zoomed', () => {
    const now = arranged({ sandwich: 'deep' });
    const all = levelsShown(now, { table: 0, frame: 0 }, null, 1000);
    expect(levelsShown(now, { table: 1, frame: 1 }, null, 1000)[0]).toBe(all[0]);
  });
});
