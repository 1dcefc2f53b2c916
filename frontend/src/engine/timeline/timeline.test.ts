import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '../../testing/seeded-random';
import { aTile, type Run } from '../../testing/trace-fixtures';
import { ColumnError } from '../format/column-file';
import { decades, rowsOf, segmentAt, segmentsWithin } from './timeline-layout';
import {
  WHOLE_TIMELINE,
  clampViewport,
  panViewport,
  tilesInView,
  viewportNs,
  zoomViewport,
  type PieceSpan,
} from './timeline-viewport';
import { readTile } from './timeline-tile';

const RUNS: Run[] = [
  [1, 200, 260, 1, 17],
  [0, 0, 300, 0, 5, 3],
  [1, 0, 90, 0, 6],
  [3, 50, 60, 2],
  [1, 90, 200, 2],
];

describe('readTile', () => {
  test('sorts segments by processor and time', () => {
    const tile = readTile(aTile(RUNS));
    expect(tile.procs).toEqual([0, 1, 3]);
    expect([...tile.procStart]).toEqual([0, 1, 4, 5]);
    expect([...tile.from]).toEqual([0, 0, 90, 200, 50]);
    expect([...tile.heldBy]).toEqual([0, 0, 2, 1, 2]);
    expect([...tile.merged]).toEqual([3, 1, 1, 1, 1]);
  });

  test.each([
    ['a class that is not listed', aTile([[0, 0, 10, 9]]), 'bad-column'],
    ['an end before its begin', aTile(RUNS, { end_ns: 0 }), 'bad-header'],
    ['no classes', aTile(RUNS, { classes: 'none' }), 'bad-header'],
    ['another format', aTile(RUNS, { format: 'slowpath.diff' }), 'unknown-format'],
    ['a time that is no number', aTile(RUNS, { wait_start_ns: null }), 'bad-header'],
  ])('rejects a tile with %s', (_, bytes, problem) => {
    expect(() => readTile(bytes)).toThrow(ColumnError);
    expect(() => readTile(bytes)).toThrow(expect.objectContaining({ problem }) as Error);
  });

  test('rejects a truncated tile', () =>
    expect(() => readTile(aTile(RUNS).slice(0, -16))).toThrow(ColumnError));

  test('reads invalid classes as unknown and keeps markup in names unchanged', () => {
    const classes = [{ kind: 7 }, { kind: 'user', group: '<img src=x>' }, null];
    expect(readTile(aTile(RUNS, { classes })).classes).toEqual([
      { kind: 'unknown', group: null },
      { kind: 'user', group: '<img src=x>' },
      { kind: 'unknown', group: null },
    ]);
  });
});

describe('rowsOf', () => {
  test('returns processors that ran something and the one on which the wait ended', () => {
    expect(rowsOf(readTile(aTile([[0, 0, 10, 0]]))).procs).toEqual([0, 1]);
    expect(rowsOf(readTile(aTile(RUNS))).procs).toEqual([0, 1, 3]);
  });
  test('uses low rows and labels only some of 128 processors', () => {
    const many = Array.from({ length: 128 }, (_, proc): Run => [proc, 0, 10, 0]);
    const rows = rowsOf(readTile(aTile(many)));
    expect(rows.rowPx).toBe(5);
    expect(rows.labelEvery).toBe(3);
  });
});

describe('segment lookup', () => {
  const tile = readTile(aTile(RUNS));
  test('returns the segment that covers a position', () => {
    expect(segmentAt([tile], 1, 95)).toEqual({ tile, at: 2 });
    expect(segmentAt([tile], 1, 90)).toEqual({ tile, at: 2 });
    expect(segmentAt([tile], 1, 260)).toBeNull();
    expect(segmentAt([tile], 2, 50)).toBeNull();
    expect(segmentAt([tile], 3, 300)).toBeNull();
  });
  test('uses the finer tile where it covers the time', () => {
    const fine = readTile(aTile([[0, 100, 150, 2]], { level: 1, start_ns: 100, end_ns: 200 }));
    expect(segmentAt([tile, fine], 0, 120)?.tile).toBe(fine);
    expect(segmentAt([tile, fine], 0, 250)?.tile).toBe(tile);
    // The finer tile covers this time and has no segment there.
    expect(segmentAt([tile, fine], 0, 180)).toBeNull();
  });
  test('matches a search of every segment for 500 random tiles', () => {
    const roll = createSeededRandom(9);
    for (let run = 0; run < 500; run++) {
      let at = 0;
      const runs: Run[] = [];
      while (at < 280) {
        const from = at + Math.floor(roll() * 12);
        const to = from + 1 + Math.floor(roll() * 30);
        runs.push([2, from, to, 0]);
        at = to;
      }
      const drawn = readTile(aTile(runs));
      const from = roll() * 280;
      const to = from + roll() * 60;
      const [first, last] = segmentsWithin(drawn, 2, from, to);
      const slow = runs.filter(([, start, end]) => end > from && start < to);
      expect(last - first).toBe(slow.length);
      if (slow[0]) expect(drawn.from[first]).toBe(slow[0][1]);
    }
  });
});

describe('timeline viewport', () => {
  test('stays inside the whole timeline and above its minimum size', () => {
    expect(clampViewport({ from: -1, to: 0.5 }, 1e9)).toEqual({ from: 0, to: 1 });
    expect(zoomViewport(WHOLE_TIMELINE, 0.5, 0, 1e9)).toEqual({ from: 0, to: 0.5 });
    expect(zoomViewport({ from: 0.2, to: 0.4 }, 100, 0.5, 1e9)).toEqual(WHOLE_TIMELINE);
    const closest = zoomViewport({ from: 0.5, to: 0.500001 }, 1e-9, 0.5, 1e6);
    expect((closest.to - closest.from) * 1e6).toBeCloseTo(200, 3);
    expect(panViewport({ from: 0.8, to: 1 }, 5, 1e9)).toEqual({ from: 0.8, to: 1 });
    expect(panViewport({ from: 0, to: 0.2 }, -5, 1e9)).toEqual({ from: 0, to: 0.2 });
  });
  test('keeps the position under the pointer when it zooms', () => {
    const before = { from: 0.2, to: 0.6 };
    const after = zoomViewport(before, 0.5, 0.25, 1e9);
    expect(after.from + 0.25 * (after.to - after.from)).toBeCloseTo(0.3, 12);
  });
});

describe('tilesInView', () => {
  /** Four tiles of different length, and a coarse tile from which the first estimate is wrong. */
  const ENDS = [30, 60, 180, 300];
  const pieces: PieceSpan[] = ENDS.map((endNs, number) => ({
    number,
    startNs: ENDS[number - 1] ?? 0,
    endNs,
  }));
  const coarseOf = (heavy: number) =>
    readTile(
      aTile(
        pieces.flatMap(({ number, startNs, endNs }) =>
          Array.from({ length: 10 }, (_, at): Run => {
            const step = (endNs - startNs) / 10;
            const merged = number === heavy ? 60 : 5;
            return [0, startNs + at * step, startNs + (at + 1) * step, 0, 1, merged];
          }),
        ),
        { finer: 4 },
      ),
    );
  const coarse = coarseOf(0);

  test('returns no tiles while the whole is visible or without finer tiles', () => {
    expect(tilesInView(coarse, WHOLE_TIMELINE, [])).toEqual([]);
    expect(tilesInView({ ...coarse, finer: 0 }, { from: 0.1, to: 0.2 }, [])).toEqual([]);
  });
  test.each([0, 1, 2, 3])('covers any viewport in a few rounds (dense tile %s)', (heavy) => {
    const coarse = coarseOf(heavy);
    const roll = createSeededRandom(4);
    for (let run = 0; run < 300; run++) {
      const size = 0.01 + roll() * 0.45;
      const from = roll() * (1 - size);
      const window = { from, to: from + size };
      const known: PieceSpan[] = [];
      for (let round = 0; round < 5; round++) {
        for (const number of tilesInView(coarse, window, known)) {
          if (!known.includes(pieces[number]!)) known.push(pieces[number]!);
        }
      }
      const wanted = tilesInView(coarse, window, known).map((number) => pieces[number]!);
      const span = viewportNs(coarse, window);
      expect(wanted[0]!.startNs).toBeLessThanOrEqual(span.from);
      expect(wanted[wanted.length - 1]!.endNs).toBeGreaterThanOrEqual(span.to);
    }
  });
});

describe('decades', () => {
  test('returns powers of ten that cover the range of a log axis', () => {
    expect(decades(3_000, 19e6)).toEqual([1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
    expect(decades(1e3, 1e3)).toEqual([1e3, 1e4]);
  });
});
