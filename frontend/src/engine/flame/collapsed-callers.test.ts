import { describe, expect, test } from 'vitest';
import { FILL } from '../format/change-class';
import { drawnDiff } from '../../testing/diff-fixtures';
import { callersOf, collapsedCount, collapsedLevels } from './collapsed-callers';
import { FlameModel, type Arranged } from './flame-model';
import { keyOfFrame } from './flame-path';
import { EMPTY_VIEW, namesKey, pathKey, type FlameView } from './flame-view';

const CALLERS = Array.from({ length: 200 }, (_, at) => `caller${at}`);

/** Draws a stack of callers above one changed callee, with optional lines below it. */
function stack(callers: readonly string[], between = ''): string {
  const lines = callers.map((name, at) => `${'  '.repeat(at)}${name} 0 0 1`);
  const indent = '  '.repeat(callers.length);
  return [
    ...lines,
    `${indent}culprit 10 12 1`,
    `${indent}  runtime.newstack 60 700 1 r`,
    `${indent}  runtime.memmove 1 1 0 r`,
    between,
  ].join('\n');
}

function opened(text: string): FlameModel {
  const model = new FlameModel();
  model.open(drawnDiff(text));
  return model;
}

const arrange = (model: FlameModel, change: Partial<FlameView> = {}): Arranged =>
  model.arrange({ ...EMPTY_VIEW, collapseCallers: true, ...change })!;

const nameAt = (now: Arranged, frame: number): string =>
  now.names.text(now.tables[0]!.name[frame]!);

const frameCalled = (now: Arranged, name: string): number =>
  Array.from(now.tables[0]!.name).findIndex((_, frame) => nameAt(now, frame) === name);

const fillOf = (now: Arranged, name: string): number =>
  now.sides[0]!.placements[0]!.fill[frameCalled(now, name)]!;

describe('collapsed callers', () => {
  test('form one frame with the culprit right below, at any depth', () => {
    const now = arrange(opened(stack(CALLERS)));
    const frames = now.tables[0]!;
    expect(collapsedCount(frames)).toBe(200);
    expect([...callersOf(frames, 1)].map((name) => now.names.text(name))).toEqual(CALLERS);
    expect(nameAt(now, 2)).toBe('culprit');
    expect(collapsedLevels(frames)).toEqual([1]);
  });

  test('appear in both graphs side by side', () => {
    const now = arrange(opened(stack(CALLERS)), { mode: 'side-by-side' });
    expect(collapsedCount(now.tables[0]!)).toBe(200);
    expect(now.sides.map(({ side }) => side)).toEqual(['base', 'candidate']);
  });

  test('are not used for one side alone, without the option, or for fewer than three callers', () => {
    const model = opened(stack(CALLERS));
    expect(arrange(model, { mode: 'base' }).tables[0]!.runs).toBeNull();
    expect(arrange(model, { collapseCallers: false }).tables[0]!.count).toBe(204);
    expect(arrange(opened(stack(['a', 'b']))).tables[0]!.runs).toBeNull();
    expect(collapsedCount(arrange(opened(stack(['a', 'b', 'c']))).tables[0]!)).toBe(3);
  });

  test('keep their other callees beside the culprit, with exact totals', () => {
    const model = opened(`
a 1 1 1
  other 50 50
  b 2 2 1
    c 0 0 1
      culprit 10 200 1
    more 5 5
`);
    const now = arrange(model);
    const frames = now.tables[0]!;
    const children = [frames.childStart[1]!, frames.childStart[2]!];
    const names = Array.from({ length: children[1]! - children[0]! }, (_, at) =>
      nameAt(now, children[0]! + at),
    );
    expect(names).toEqual(['culprit', 'other', 'more']);
    expect([frames.baseSelf[1], frames.candidateSelf[1]]).toEqual([3, 3]);
    expect([frames.baseTotal[1], frames.candidateTotal[1]]).toEqual([68, 258]);
    for (let frame = 0; frame < frames.count; frame++) {
      let total = frames.candidateSelf[frame]!;
      for (let at = frames.childStart[frame]!; at < frames.childStart[frame + 1]!; at++)
        total += frames.candidateTotal[at]!;
      expect(total).toBe(frames.candidateTotal[frame]);
    }
  });

  test('end at a caller with its own change or with several changed callees', () => {
    const now = arrange(
      opened(`
a 0 0 1
  b 0 0 1
    c 0 0 1
      d 0 90 1
        e 0 0 1
          x 10 60 1
          y 10 60 1
`),
    );
    expect(callersOf(now.tables[0]!, 1)).toHaveLength(3);
    expect(frameCalled(now, 'd')).toBeGreaterThan(0);
    expect(frameCalled(now, 'e')).toBeGreaterThan(0);
  });

  test('are expanded one chain at a time, by the key of any of their frames', () => {
    const chain = (name: string, change: number) =>
      [
        `${name}1 0 0 1`,
        `  ${name}2 0 0 1`,
        `    ${name}3 0 0 1`,
        `      ${name}4 10 ${change} 1`,
      ].join('\n');
    const model = opened(`${chain('a', 90)}\n${chain('b', 80)}`);
    expect(collapsedCount(arrange(model).tables[0]!)).toBe(6);
    const expanded = pathKey(['b1', 'b2']);
    const now = arrange(model, { expanded });
    expect(collapsedCount(now.tables[0]!)).toBe(3);
    expect(frameCalled(now, 'b3')).toBeGreaterThan(0);
    expect(frameCalled(now, 'a3')).toBe(-1);
    const both = [expanded, pathKey(['a1']), 'no key'].join(',');
    expect(collapsedCount(arrange(model, { expanded: both }).tables[0]!)).toBe(0);
  });

  test.each([
    [3, '0 90'],
    [4, '90 0'],
  ])('also form where they exist on one side only (state %i)', (state, values) => {
    const now = arrange(
      opened(`a 0 0 ${state}\n  b 0 0 ${state}\n    c 0 0 ${state}\n      d ${values} ${state}`),
    );
    expect(callersOf(now.tables[0]!, 1)).toHaveLength(3);
    expect(frameCalled(now, 'd')).toBe(2);
  });

  test('never include runtime frames of an attributed caller', () => {
    const now = arrange(
      opened(`
culprit 0 0 1
  runtime.a 0 0 1 r
    runtime.b 0 0 1 r
      runtime.c 0 0 1 r
        runtime.d 1 90 1 r
`),
    );
    expect(now.tables[0]!.runs).toBeNull();
  });

  test('keep the keys of all frames and are found by any of them', () => {
    const model = opened(stack(CALLERS));
    const now = arrange(model);
    const culprit = frameCalled(now, 'culprit');
    const key = pathKey([...CALLERS, 'culprit']);
    expect(keyOfFrame(now.tables[0]!, now.names, culprit)).toBe(key);
    expect(model.locate(key)).toEqual({ table: 0, frame: culprit });
    expect(model.locate(pathKey(CALLERS.slice(0, 7)))).toEqual({ table: 0, frame: 1 });
    expect(model.findShown(['caller3', 'caller4'])).toBe(1);
  });

  test('count the matches of a search like the whole tree', () => {
    const model = opened(stack(CALLERS));
    const search = { pattern: '^caller1?9$', regex: true, caseSensitive: true };
    const whole = arrange(model, { search, collapseCallers: false }).hits![0]!;
    const now = arrange(model, { search }).hits![0]!;
    expect([now.frames, now.base, now.candidate]).toEqual([
      whole.frames,
      whole.base,
      whole.candidate,
    ]);
    expect(now.frames).toBe(2);
    expect(now.prefix[2]! - now.prefix[1]!).toBe(2);
  });
});

describe('fill level of a frame', () => {
  const TEXT = stack(['a', 'b', 'c', 'd']);

  test('follows its own cost: the culprit is darkest and its callers are weak', () => {
    const now = arrange(opened(TEXT), { collapseCallers: false });
    expect(fillOf(now, 'culprit')).toBe(FILL.more + 3);
    for (const name of ['a', 'b', 'c', 'd']) expect(fillOf(now, name)).toBe(FILL.moreInCallees);
  });

  test('follows the ratio of its own cost when that changed most', () => {
    const now = arrange(opened('a 100 120 1\n  b 50 51 1\n'));
    expect(fillOf(now, 'a')).toBe(FILL.more);
  });
});

describe('zoom by function names', () => {
  test('shows the frame within its caller and identifies the requested frame', () => {
    const model = opened(stack(CALLERS));
    const now = arrange(model, { zoom: namesKey(['caller199', 'culprit']) });
    expect(now.zoom).toEqual({ table: 0, frame: 1, sought: 2 });
    expect(now.zoomLost).toBe(false);
  });

  test('shows a small frame itself', () => {
    const model = opened('a 100 100\n  b 1 9 1\n');
    const b = frameCalled(arrange(model), 'b');
    expect(arrange(model, { zoom: namesKey(['b']) }).zoom).toEqual({
      table: 0,
      frame: b,
      sought: b,
    });
  });

  test.each(['n', 'n{', 'n[1]', namesKey(['nowhere'])])(
    'reports that no frame matches %s',
    (zoom) => {
      expect(arrange(opened('a 1 2 1'), { zoom }).zoomLost).toBe(true);
    },
  );
});
