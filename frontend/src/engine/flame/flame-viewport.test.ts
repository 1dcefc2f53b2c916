import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '../../testing/seeded-random';
import {
  columnsOf,
  drawnDiff,
  drawnTree,
  randomTree,
  writeParts,
  writeWhole,
} from '../../testing/diff-fixtures';
import { FlameModel } from './flame-model';
import { EMPTY_VIEW, hashKey, nameHash, pathHash, pathKey, ROOT_HASH } from './flame-view';
import { keyOfFrame, frameOfKey } from './flame-path';
import type { FlameView } from './flame-view';
import {
  clampSpan,
  extentOf,
  frameHeight,
  levelAt,
  panSpan,
  panesOf,
  paddingAround,
  topOf,
  zoomSpan,
} from './flame-viewport';

function arranged(change: Partial<FlameView> = {}) {
  const model = new FlameModel();
  model.open(drawnDiff('a 10 10\n  b 5 20\n    c 1 1\nd 30 20'));
  return model.arrange({ ...EMPTY_VIEW, ...change })!;
}

describe('panesOf', () => {
  test('places the root of an icicle at the top and that of a flame at the bottom', () => {
    const [down] = panesOf(arranged(), 'icicle', 1000).panes;
    const [up] = panesOf(arranged(), 'flame', 1000).panes;
    expect([0, 3].map((level) => topOf(down!, level))).toEqual([0, 54]);
    expect([0, 3].map((level) => topOf(up!, level))).toEqual([54, 0]);
    expect(levelAt(up!, 54)).toBeCloseTo(0);
  });
  test('adds a row for nodes that were not sent below the deepest frames', () => {
    const model = new FlameModel();
    const drawn = columnsOf(drawnTree('a 10 10\n  b 5 20\n    c 1 1'));
    model.open(writeParts(drawn, 2).first);
    expect(panesOf(model.arrange(EMPTY_VIEW)!, 'icicle', 1000).rows).toBe(3);
    model.open(writeWhole(drawn));
    expect(panesOf(model.arrange(EMPTY_VIEW)!, 'icicle', 1000).rows).toBe(4);
  });
  test('places two sides beside each other, or one above the other in a narrow window', () => {
    const two = arranged({ mode: 'side-by-side' });
    expect(
      panesOf(two, 'icicle', 1016).panes.map(({ x, width, originRow }) => [x, width, originRow]),
    ).toEqual([
      [0, 500, 0],
      [516, 500, 0],
    ]);
    expect(panesOf(two, 'icicle', 400)).toMatchObject({
      rows: 9,
      panes: [
        { x: 0, width: 400, originRow: 0 },
        { x: 0, width: 400, originRow: 5 },
      ],
    });
  });
  test('places callers above the function and callees below in a sandwich', () => {
    const both = panesOf(arranged({ sandwich: 'b' }), 'icicle', 100);
    expect(both.rows).toBe(3);
    expect(
      both.panes.map((pane) => [
        topOf(pane, pane.firstLevel) / 18,
        topOf(pane, pane.lastLevel) / 18,
      ]),
    ).toEqual([
      [1, 2],
      [0, 0],
    ]);
  });
  test('uses one scale for both sides', () => {
    const two = arranged({ mode: 'side-by-side', zoom: pathKey(['a']) });
    const { panes } = panesOf(two, 'icicle', 1016);
    const scales = panes.map((pane) => extentOf(two, pane, two.zoom, null).scale);
    expect(scales[0]).toBe(scales[1]);
  });
});

describe('viewport span', () => {
  const random = createSeededRandom(3);
  test('stays within its bounds after random pans and zooms', () => {
    const now = arranged();
    const room = paddingAround(now, { table: 0, frame: 1 });
    let span = { from: 0, to: 1 };
    for (let step = 0; step < 2000; step++) {
      const moved =
        random() < 0.5
          ? panSpan(span, random() * 4 - 2)
          : zoomSpan(span, 2 ** (random() * 8 - 4), random());
      span = clampSpan(moved, room.before, room.after);
      expect(span.to).toBeGreaterThan(span.from);
      expect(span.from).toBeGreaterThanOrEqual(-room.before - 1e-9);
      expect(span.to).toBeLessThanOrEqual(1 + room.after + 1e-9);
    }
  });
  test('zooms around the given point', () =>
    expect(zoomSpan({ from: 0, to: 1 }, 0.5, 0.25)).toEqual({ from: 0.125, to: 0.625 }));
});

test('FlameView is unchanged after JSON serialization (100 random views)', () => {
  const random = createSeededRandom(17);
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)]!;
  for (let round = 0; round < 100; round++) {
    const view: FlameView = {
      ...EMPTY_VIEW,
      mode: pick(['overlay', 'side-by-side', 'base', 'candidate']),
      orientation: pick(['icicle', 'flame']),
      zoom: pathKey(Array.from({ length: Math.floor(random() * 9) }, () => String(random()))),
      span: pick([null, { from: random(), to: 1 + random() }]),
      focus: pick(['', '^a$', '<\u202e>']),
      collapseRecursion: pick([true, false]),
      search: {
        pattern: pick(['', '.*', '"']),
        regex: pick([true, false]),
        caseSensitive: pick([true, false]),
      },
    };
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  }
});

describe('frame key', () => {
  test('is unique for each path and finds its frame again', () => {
    const model = new FlameModel();
    model.open(writeWhole(randomTree(800, 6)));
    const now = model.arrange(EMPTY_VIEW)!;
    const frames = now.tables[0]!;
    const keys = new Set<string>();
    for (let frame = 0; frame < frames.count; frame++) {
      const key = keyOfFrame(frames, now.names, frame);
      keys.add(key);
      if (frame % 50 === 0) expect(frameOfKey(frames, now.names, key)).toBe(frame);
    }
    expect(keys.size).toBe(800);
  });
  test('stays the same between releases, because links contain it', () => {
    expect(pathKey(['main', 'grow'])).toBe(
      hashKey(pathHash(pathHash(ROOT_HASH, nameHash('main')), nameHash('grow'))),
    );
    expect(pathKey(['main', 'grow'])).toBe('4891f75e12075a85');
    expect(pathKey([])).toBe('');
  });
});

describe('rows of collapsed callers', () => {
  const [pane] = panesOf(arranged(), 'icicle', 800).panes;

  test.each([1, -1] as const)(
    'are taller, and every pixel maps to its level (direction %d)',
    (direction) => {
      const tall = { ...pane!, direction, originRow: direction === 1 ? 0 : 3, tallLevels: [1] };
      const order = direction === 1 ? [0, 1, 2, 3] : [3, 2, 1, 0];
      const heights = order.map((level) => frameHeight(tall, level) + 1);
      expect(heights.toSorted((a, b) => a - b)).toEqual([18, 18, 18, 27]);
      let top = 0;
      order.forEach((level, at) => {
        expect(topOf(tall, level)).toBe(top);
        for (let y = top; y < top + heights[at]!; y++) expect(levelAt(tall, y)).toBe(level);
        top += heights[at]!;
      });
    },
  );
});
