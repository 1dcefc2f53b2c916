/** Tests parts of the graph that need no component: keys, tooltips, labels, cursor, gestures. */
import { describe, expect, test, vi } from 'vitest';
import { FlameModel } from '../../engine/flame/flame-model';
import { EMPTY_VIEW } from '../../engine/flame/flame-view';
import { panesOf } from '../../engine/flame/flame-viewport';
import { drawnDiff } from '../../testing/diff-fixtures';
import { nextMatch, stepCursor } from './frame-navigation';
import type { FrameCursor, Step } from './frame-navigation';
import { chipsOf, menuEntries } from './frame-actions';
import type { GestureEvents } from './flame-gestures';
import { listenToGestures } from './flame-gestures';
import { keyAction } from './flame-keys';
import { LabelCache } from './label-cache';
import { placeTooltip } from './tooltip-position';

const press = (
  key: string,
  held: Partial<Record<'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {},
) => keyAction({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...held });

test('keyAction maps the keys of Speedscope and leaves browser shortcuts alone', () => {
  expect(
    ['w', 'a', 's', 'd', '+', '-', '0', 'Escape', 'Enter', 'f'].map((key) => press(key)),
  ).toEqual([
    'zoom-in',
    'pan-left',
    'zoom-out',
    'pan-right',
    'zoom-in',
    'zoom-out',
    'reset',
    'leave',
    'open',
    'callers',
  ]);
  expect([press('ArrowLeft'), press('ArrowLeft', { shiftKey: true })]).toEqual([
    'cursor-left',
    'pan-left',
  ]);
  expect([
    press('c', { ctrlKey: true }),
    press('0', { metaKey: true }),
    press('Tab'),
    press('constructor'),
  ]).toEqual([null, null, null, null]);
});

describe('placeTooltip', () => {
  const bounds = { left: 0, top: 0, right: 1000, bottom: 700 };
  const tip = { width: 300, height: 160 };
  const overlaps = (at: { left: number; top: number }, kept: typeof bounds): boolean =>
    at.left < kept.right &&
    at.left + tip.width > kept.left &&
    at.top < kept.bottom &&
    at.top + tip.height > kept.top;

  test.each([
    ['narrow, at the left', { left: 20, top: 100, right: 200, bottom: 300 }],
    ['narrow, at the right', { left: 800, top: 100, right: 990, bottom: 300 }],
    ['as wide as all, in the middle', { left: 0, top: 300, right: 1000, bottom: 500 }],
    ['as wide as all, at the top', { left: 0, top: 20, right: 1000, bottom: 300 }],
    ['deeper than the window', { left: 0, top: 300, right: 1000, bottom: 2000 }],
  ])('never covers a frame and its callees: %s', (_, kept) => {
    const at = placeTooltip(kept, { ...kept, bottom: kept.top + 17 }, tip, bounds, true);
    expect(overlaps(at, kept)).toBe(false);
  });
});

describe('LabelCache', () => {
  const cache = (width: (text: string) => number) =>
    new LabelCache((id) => (id === 0 ? 'net/http.(*conn).serve' : '関数名前長.呼出'), width, 6.6);
  test('returns the longest form that fits', () => {
    const labels = cache((text) => text.length * 6.6);
    expect([160, 100, 40, 20, 10].map((room) => labels.fit(0, room))).toEqual([
      'net/http.(*conn).serve',
      '(*conn).serve',
      'serve',
      'se…',
      '',
    ]);
  });
  test('measures and truncates labels with wide letters', () => {
    const labels = cache((text) => text.length * 13.2);
    expect(labels.fit(1, 60).length * 13.2).toBeLessThanOrEqual(60);
  });
});

function arranged(change: object = {}) {
  const model = new FlameModel();
  model.open(drawnDiff('a 10 10\n  b 5 20\n    c 1 1\n  e 2 2\nd 30 20'));
  return model.arrange({ ...EMPTY_VIEW, ...change })!;
}

describe('keyboard navigation', () => {
  const walk = (
    now: ReturnType<typeof arranged>,
    steps: Step[],
    from: FrameCursor = { table: 0, frame: 0 },
  ): string => {
    const { panes } = panesOf(now, 'icicle', 1000);
    let at = from;
    for (const step of steps) at = stepCursor(now, panes, at, step) ?? at;
    return `${at.table} ${now.names.text(now.tables[at.table]!.name[at.frame]!)}`;
  };
  test('moves to the widest callee, to neighbors, and back', () => {
    const now = arranged();
    expect(walk(now, ['down'])).toBe('0 a');
    expect(walk(now, ['down', 'right'])).toBe('0 d');
    expect(walk(now, ['down', 'down', 'right'])).toBe('0 e');
    expect(walk(now, ['down', 'down', 'right', 'up', 'up', 'up'])).toBe('0 all');
  });
  test('moves through a sandwich from callers to callees', () => {
    const now = arranged({ sandwich: 'b' });
    expect(walk(now, ['up'])).toBe('1 a');
    expect(walk(now, ['up', 'down', 'down'])).toBe('0 c');
  });
  test('moves from match to match and wraps around', () => {
    const now = arranged({ search: { pattern: 'b|d', regex: true, caseSensitive: false } });
    const name = (cursor: FrameCursor | null): string =>
      now.names.text(now.tables[0]!.name[cursor?.frame ?? 0]!);
    const first = nextMatch(now, null, 1);
    expect([
      name(first),
      name(nextMatch(now, first, 1)),
      name(nextMatch(now, nextMatch(now, first, 1), 1)),
    ]).toEqual(['d', 'b', 'd']);
    expect(nextMatch(arranged(), null, 1)).toBeNull();
  });
});

test('menuEntries adds filters that the chips of chipsOf remove', () => {
  const change = vi.fn();
  const actions = { zoom: vi.fn(), change, copy: vi.fn(), listLines: undefined };
  const entries = menuEntries({ ...EMPTY_VIEW, ignore: 'x' }, 'a.(*B).c', 'usual', actions);
  expect(entries.map(({ id }) => id)).toEqual([
    'zoom',
    'callers',
    'focus',
    'ignore',
    'hide',
    'search',
    'copy',
  ]);
  entries.find(({ id }) => id === 'ignore')?.act();
  expect(change).toHaveBeenCalledWith({
    zoom: '',
    span: null,
    ignore: String.raw`x|^a\.\(\*B\)\.c$`,
  });
  expect(
    chipsOf({ ...EMPTY_VIEW, focus: 'f', collapseRecursion: true }).map(({ without }) => without),
  ).toEqual([
    { zoom: '', span: null, focus: '' },
    { zoom: '', span: null, collapseRecursion: false },
  ]);
  expect(menuEntries(EMPTY_VIEW, 'all', 'root', actions)).toHaveLength(1);
});

describe('listenToGestures', () => {
  const listened = () => {
    const element = document.createElement('div');
    element.setPointerCapture = () => undefined;
    const calls: string[] = [];
    const note =
      (name: string) =>
      (...values: unknown[]) =>
        calls.push(`${name} ${values.join(' ')}`.trim());
    const events = Object.fromEntries(
      ['hover', 'leave', 'choose', 'reset', 'menu', 'pan', 'zoom', 'dragging'].map((name) => [
        name,
        note(name),
      ]),
    ) as unknown as GestureEvents;
    listenToGestures(element, events);
    const point = (type: string, x: number, y: number, id = 1): void => {
      const event = new MouseEvent(type, { clientX: x, clientY: y, bubbles: true });
      Object.assign(event, { pointerId: id, pointerType: 'mouse' });
      element.dispatchEvent(event);
    };
    return { element, calls, point };
  };
  test('selects a frame on a press that hardly moves and pans on a drag', () => {
    const { calls, point } = listened();
    point('pointerdown', 10, 10);
    point('pointermove', 12, 10);
    point('pointerup', 12, 10);
    point('pointerdown', 10, 10);
    point('pointermove', 30, 15);
    point('pointerup', 30, 15);
    expect(calls).toEqual(['choose 12 10', 'dragging true', 'pan 20 5', 'dragging false']);
  });
  test('zooms by wheel only with Ctrl and leaves vertical scrolling to the page', () => {
    const { element, calls } = listened();
    const wheel = (init: WheelEventInit): boolean =>
      element.dispatchEvent(new WheelEvent('wheel', { cancelable: true, ...init }));
    expect(wheel({ deltaY: 100 })).toBe(true);
    expect(wheel({ deltaY: -100, ctrlKey: true })).toBe(false);
    expect(wheel({ deltaX: 30, deltaY: 2 })).toBe(false);
    expect(wheel({ deltaY: 30, shiftKey: true })).toBe(false);
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['zoom', 'pan', 'pan']);
  });
});
