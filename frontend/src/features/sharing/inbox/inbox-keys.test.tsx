import { describe, expect, it } from 'vitest';
import {
  SHORTCUTS,
  commandOf,
  keptCursor,
  movedCursor,
  targetsOf,
  toggled,
  type Command,
} from './inbox-keys';

const press = (key: string, target: EventTarget | null = document.body, held = {}) =>
  commandOf({ key, ctrlKey: false, metaKey: false, altKey: false, ...held, target });

function inside(html: string, selector: string): Element {
  const box = document.createElement('div');
  box.innerHTML = html;
  return box.querySelector(selector)!;
}

describe('a key', () => {
  it.each<[string, Command]>([
    ['j', { type: 'move', by: 1 }],
    ['k', { type: 'move', by: -1 }],
    ['x', { type: 'select' }],
    ['Enter', { type: 'open' }],
    ['a', { type: 'menu', menu: 'assign' }],
    ['s', { type: 'menu', menu: 'set-state' }],
    ['f', { type: 'menu', menu: 'fixed-by' }],
    ['m', { type: 'menu', menu: 'merge' }],
    ['z', { type: 'menu', menu: 'snooze' }],
    ['r', { type: 'read' }],
    ['?', { type: 'help' }],
    ['Escape', { type: 'clear' }],
  ])('%s is a command', (key, command) => expect(press(key)).toEqual(command));

  it('belongs to a field while one is written in', () => {
    expect(press('a', inside('<input>', 'input'))).toBeNull();
    expect(press('a', inside('<div role="dialog"><button>x</button></div>', 'button'))).toBeNull();
    expect(press('x', inside('<input type="checkbox">', 'input'))).toEqual({ type: 'select' });
  });

  it('belongs to the browser with a modifier', () => {
    expect(press('a', document.body, { ctrlKey: true })).toBeNull();
    expect(press('k', document.body, { metaKey: true })).toBeNull();
  });

  it('Enter opens a link or presses a button that has the focus', () => {
    expect(press('Enter', inside('<a href="#"><b>x</b></a>', 'b'))).toBeNull();
    expect(press('Enter', inside('<li tabindex="0"></li>', 'li'))).toEqual({ type: 'open' });
  });

  it('is in the list of shortcuts if it is a command', () => {
    const listed = SHORTCUTS.flatMap(([keys]) => keys);
    expect(listed).toEqual(expect.arrayContaining(['j', 'k', 'x', 'X', 'a', 's', 'f', 'm', 'z']));
    expect(listed).toEqual(expect.arrayContaining(['n', 'u', 'Enter', 'Esc', '?']));
  });
});

describe('the cursor', () => {
  const rows = ['a', 'b', 'c'];
  it('begins at the first row and stops at both ends', () => {
    expect(movedCursor(rows, null, 1)).toBe('a');
    expect(movedCursor(rows, 'a', 1)).toBe('b');
    expect(movedCursor(rows, 'c', 1)).toBe('c');
    expect(movedCursor(rows, 'a', -1)).toBe('a');
    expect(movedCursor([], null, 1)).toBeNull();
  });

  it('stays at its place when its row was triaged away', () => {
    expect(keptCursor(rows, ['a', 'c'], 'b')).toBe('c');
    expect(keptCursor(rows, ['a', 'b'], 'c')).toBe('b');
    expect(keptCursor(rows, ['c', 'b', 'a'], 'b')).toBe('b');
    expect(keptCursor(rows, [], 'b')).toBeNull();
  });
});

describe('the selection', () => {
  const keyOf = (row: string) => row;
  it('is toggled row by row', () => {
    expect([...toggled(toggled(new Set(), 'a'), 'b')]).toEqual(['a', 'b']);
    expect([...toggled(new Set(['a']), 'a')]).toEqual([]);
  });

  it('is what an action applies to; without one the row at the cursor is', () => {
    expect(targetsOf(['a', 'b', 'c'], keyOf, new Set(['c', 'a', 'gone']), 'b')).toEqual(['a', 'c']);
    expect(targetsOf(['a', 'b', 'c'], keyOf, new Set(['gone']), 'b')).toEqual(['b']);
    expect(targetsOf(['a', 'b'], keyOf, new Set(), null)).toEqual([]);
  });
});
