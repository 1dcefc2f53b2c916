/** Compares the filters with a simple implementation on lists of stacks. */
import { describe, expect, test } from 'vitest';
import { drawnDiff, randomTree, writeWhole } from '../../testing/diff-fixtures';
import type { DiffColumns } from '../../testing/diff-fixtures';
import type { Arranged } from './flame-model';
import { FlameModel } from './flame-model';
import type { FlameView } from './flame-view';
import { EMPTY_VIEW, pathKey } from './flame-view';

type Stack = { names: string[]; base: number; candidate: number };

function stacksOf(columns: DiffColumns): Stack[] {
  return Array.from({ length: columns.parent.length }, (_, row) => {
    const names: string[] = [];
    for (let at = row; at > 0; at = columns.parent[at]!)
      names.unshift(columns.names[columns.name[at]!]!);
    return { names, base: columns.baseSelf[row]!, candidate: columns.candidateSelf[row]! };
  });
}

function collapsed(names: readonly string[]): string[] {
  const path: string[] = [];
  for (const name of names) {
    const at = path.lastIndexOf(name);
    if (at >= 0) path.length = at + 1;
    else path.push(name);
  }
  return path;
}

/** Returns totals by path, as text. */
function totals(stacks: readonly Stack[]): Map<string, string> {
  const sums = new Map<string, [number, number]>();
  for (const { names, base, candidate } of stacks) {
    for (let length = 0; length <= names.length; length++) {
      const key = names.slice(0, length).join(' > ');
      const sum = sums.get(key) ?? [0, 0];
      sums.set(key, [sum[0] + base, sum[1] + candidate]);
    }
  }
  return new Map(
    [...sums].sort().map(([path, [base, candidate]]) => [path, `${base} ${candidate}`]),
  );
}

function totalsOf(now: Arranged, table = 0): Map<string, string> {
  const frames = now.tables[table]!;
  const paths: string[] = [''];
  const found = new Map<string, string>();
  for (let frame = 0; frame < frames.count; frame++) {
    const above = frame === 0 ? '' : paths[frames.parent[frame]!]!;
    const name = now.names.text(frames.name[frame]!);
    if (frame > 0) paths[frame] = above === '' ? name : `${above} > ${name}`;
    found.set(paths[frame]!, `${frames.baseTotal[frame]} ${frames.candidateTotal[frame]}`);
  }
  // A frame whose stacks were all moved (collapsed recursion) remains with zero totals.
  return new Map([...found].filter(([, sums]) => sums !== '0 0').sort());
}

function arrange(columns: DiffColumns, change: Partial<FlameView>): Arranged {
  const model = new FlameModel();
  model.open(writeWhole(columns));
  return model.arrange({ ...EMPTY_VIEW, ...change })!;
}

const FOCUS = /series/u;
const IGNORE = /block/u;
const HIDE = /codec|route/u;

describe.each([1, 2, 3, 4, 5, 6])('filters on a random tree (seed %i)', (seed) => {
  // With few names and deep stacks, names repeat on a stack.
  const columns = randomTree(900, seed, 25);
  columns.names = columns.names.map((name) =>
    name.replace(/\d+$/u, '').replace(/^github.com\/northwind\//u, ''),
  );
  const stacks = stacksOf(columns);
  const has = (pattern: RegExp) => (stack: Stack) => stack.names.some((name) => pattern.test(name));

  test('focus keeps only stacks that contain a match', () => {
    expect(totalsOf(arrange(columns, { focus: FOCUS.source, hide: '^$' }))).toEqual(
      totals(stacks.filter(has(FOCUS))),
    );
  });
  test('ignore drops stacks that contain a match', () => {
    const left = stacks.filter((stack) => !has(IGNORE)(stack));
    expect(totalsOf(arrange(columns, { ignore: IGNORE.source, hide: '^$' }))).toEqual(totals(left));
  });
  test('hide removes matching frames and keeps all cost', () => {
    const left = stacks.map((stack) => ({
      ...stack,
      names: stack.names.filter((name) => !HIDE.test(name)),
    }));
    expect(totalsOf(arrange(columns, { hide: HIDE.source }))).toEqual(totals(left));
  });
  test('collapse merges a repeated function into its first frame', () => {
    const left = stacks.map((stack) => ({ ...stack, names: collapsed(stack.names) }));
    expect(totalsOf(arrange(columns, { collapseRecursion: true }))).toEqual(totals(left));
  });
  test('all filters together apply in the order of pprof', () => {
    const left = stacks
      .filter((stack) => !has(IGNORE)(stack) && has(FOCUS)(stack))
      .map((stack) => ({
        ...stack,
        names: collapsed(stack.names.filter((name) => !HIDE.test(name))),
      }));
    const now = arrange(columns, {
      focus: FOCUS.source,
      ignore: IGNORE.source,
      hide: HIDE.source,
      collapseRecursion: true,
    });
    expect(totalsOf(now)).toEqual(totals(left));
  });
  test('callers and callees of a function both add up to its total', () => {
    const name = columns.names[columns.name[columns.name.length - 1]!]!;
    const inside = stacks.filter((stack) => stack.names.includes(name));
    const callees = totals(
      inside.map((stack) => ({
        ...stack,
        names: stack.names.slice(stack.names.indexOf(name) + 1),
      })),
    );
    const callers = totals(
      inside.map((stack) => ({
        ...stack,
        names: stack.names.slice(0, stack.names.indexOf(name)).reverse(),
      })),
    );
    const now = arrange(columns, { sandwich: name });
    expect(totalsOf(now)).toEqual(callees);
    expect(totalsOf(now, 1)).toEqual(callers);
  });
});

const CHANGED = `
main 0 0
  grow 5 50 1
    copy 5 50 1
  same 40 40
  gone 20 0 4
`;

function statesOf(change: Partial<FlameView>): Record<string, number> {
  const model = new FlameModel();
  model.open(drawnDiff(CHANGED));
  const now = model.arrange({ ...EMPTY_VIEW, ...change })!;
  const frames = now.tables[0]!;
  return Object.fromEntries(
    Array.from({ length: frames.count }, (_, frame) => [
      now.names.text(frames.name[frame]!),
      frames.state[frame]!,
    ]),
  );
}

const JOINED = `
main 0 0
  left 0 0
    work 10 100 1
  right 0 0
    work 10 100 1
    rest 5 5
`;

/** Returns [state, q, stacks, whether it has an interval] of each frame. */
function judgedOf(
  drawing: string,
  change: Partial<FlameView>,
  table = 0,
): Record<string, [number, number, number, boolean]> {
  const model = new FlameModel();
  model.open(drawnDiff(drawing));
  const now = model.arrange({ ...EMPTY_VIEW, ...change })!;
  const frames = now.tables[table]!;
  return Object.fromEntries(
    Array.from({ length: frames.count }, (_, frame) => [
      now.names.text(frames.name[frame]!),
      [
        frames.state[frame]!,
        Math.round(frames.q[frame]! * 1e4) / 1e4,
        frames.stacks[frame]!,
        Number.isFinite(frames.low[frame]!),
      ],
    ]),
  );
}

describe('test result of a frame after filters', () => {
  test('is unknown where several frames were merged, because the interval of a sum is unknown', () => {
    expect(judgedOf(JOINED, { hide: 'left|right' })).toMatchObject({
      main: [0, 0.5, 6, true],
      work: [0, NaN, 2, false],
      rest: [0, 0.5, 1, true],
    });
    expect(judgedOf(JOINED, { sandwich: 'work' })).toEqual({ work: [0, NaN, 2, false] });
  });
  test('equals that of the only child where a frame has no other cost', () => {
    expect(judgedOf(JOINED, { sandwich: 'work' }, 1)).toMatchObject({
      left: [1, 0.0004, 1, true],
      right: [1, 0.0004, 1, true],
    });
    expect(judgedOf(JOINED, { focus: 'rest' })).toMatchObject({
      main: [0, 0.5, 1, true],
      right: [0, 0.5, 1, true],
    });
    expect(judgedOf(JOINED, { ignore: 'rest' }).right).toEqual([1, 0.0004, 1, true]);
  });
  test('is unknown where a filter removed a part', () =>
    expect(judgedOf(JOINED, { ignore: 'rest' }).main).toEqual([0, NaN, 0, false]));
  test('is kept for frames that a filter left whole and passed on to their callers', () =>
    expect(statesOf({ focus: 'grow' })).toEqual({ all: 1, main: 1, grow: 1, copy: 1 }));
  test('is not significant when nothing in the frame changed significantly', () =>
    expect(statesOf({ focus: 'same' })).toEqual({ all: 0, main: 0, same: 0 }));
  test('follows the sign of the change', () =>
    expect(statesOf({ ignore: 'grow|same' })).toEqual({ all: 4, main: 4, gone: 4 }));
});

test('FlameModel reports an invalid pattern and does not apply it', () => {
  const model = new FlameModel();
  model.open(drawnDiff(CHANGED));
  const now = model.arrange({
    ...EMPTY_VIEW,
    focus: '(',
    search: { pattern: '*', regex: true, caseSensitive: false },
  })!;
  expect(now.problems.map(({ field }) => field)).toEqual(['focus', 'search']);
  expect(now.tables[0]!.count).toBe(6);
});

describe('search in a flame graph', () => {
  const search = (pattern: string, regex = true): [number, number, number] => {
    const model = new FlameModel();
    model.open(drawnDiff(CHANGED));
    const hits = model.arrange({ ...EMPTY_VIEW, search: { pattern, regex, caseSensitive: false } })!
      .hits![0]!;
    return [hits.frames, hits.base, hits.candidate];
  };
  test('does not add the cost of a match below another match twice', () =>
    expect(search('grow|copy')).toEqual([2, 10, 100]));
  test('matches plain text literally and ignores case', () => {
    expect(search('.', false)).toEqual([0, 0, 0]);
    expect(search('COPY', false)).toEqual([1, 5, 50]);
  });
});

describe('zoom of a flame graph', () => {
  test('is found by its key under other filters and reported when missing', () => {
    const model = new FlameModel();
    model.open(drawnDiff(CHANGED));
    const zoom = pathKey(['main', 'grow', 'copy']);
    for (const change of [{}, { focus: 'grow' }, { mode: 'candidate' as const }]) {
      const now = model.arrange({ ...EMPTY_VIEW, ...change, zoom })!;
      expect(now.names.text(now.tables[0]!.name[now.zoom.frame]!)).toBe('copy');
      expect(now.zoomLost).toBe(false);
    }
    expect(model.arrange({ ...EMPTY_VIEW, ignore: 'copy', zoom })!.zoomLost).toBe(true);
  });
  test('is found by a path of function names, or by the part of the path that exists', () => {
    const model = new FlameModel();
    model.open(drawnDiff(CHANGED));
    const now = model.arrange(EMPTY_VIEW)!;
    const named = (path: string[]): string => {
      const frame = model.find(path);
      return frame < 0 ? '' : now.names.text(now.tables[0]!.name[frame]!);
    };
    expect([
      named(['main', 'grow']),
      named(['grow', 'copy']),
      named(['copy']),
      named(['main', 'nowhere']),
      named(['x']),
    ]).toEqual(['grow', 'copy', 'copy', 'main', '']);
  });
});
