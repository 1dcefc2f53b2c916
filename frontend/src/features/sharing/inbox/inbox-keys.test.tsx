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

describe('commandOf', () => {
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
  ])('maps %s to its command', (key, command) => expect(press(key)).toEqual(command));

  it('ignores keys that are typed into a field or pressed in a dialog', () => {
    expect(press('a', inside('<input>', 'input'))).toBeNull();
    expect(press('a', inside('<div role="dialog"><button>x</button></div>', 'button'))).toBeNull();
    expect(press('x', inside('<input type="checkbox">', 'input'))).toEqual({ type: 'select' });
  });

  it('ignores keys with a modifier', () => {
    expect(press('a', document.body, { ctrlKey: true })).toBeNull();
    expect(press('k', document.body, { metaKey: true })).toBeNull();
  });

  it('ignores Enter on a link or button and opens a focused row', () => {
    expect(press('Enter', inside('<a href="#"><b>x</b></a>', 'b'))).toBeNull();
    expect(press('Enter', inside('<li tabindex="0"><button>x</button></li>', 'button'))).toBeNull();
    expect(press('Enter', inside('<li tabindex="0"></li>', 'li'))).toEqual({ type: 'open' });
  });

  it('has a command for exactly the keys in the list of shortcuts', () => {
    const ascii = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
    const others = { Esc: 'Escape', '↓': 'ArrowDown', '↑': 'ArrowUp' } as Record<string, string>;
    const commands = [...ascii, 'Enter', ...Object.values(others)].filter(
      (key) => press(key) !== null,
    );
    // Digits choose from an open menu, which handles its keys itself.
    const listed = SHORTCUTS.flatMap(([keys]) => keys).filter((key) => key !== '1–9');
    expect(listed.map((key) => others[key] ?? key).sort()).toEqual(commands.sort());
  });
});

describe('inbox cursor', () => {
  const rows = ['a', 'b', 'c'];
  it('starts at the first row and stops at both ends', () => {
    expect(movedCursor(rows, null, 1)).toBe('a');
    expect(movedCursor(rows, 'a', 1)).toBe('b');
    expect(movedCursor(rows, 'c', 1)).toBe('c');
    expect(movedCursor(rows, 'a', -1)).toBe('a');
    expect(movedCursor([], null, 1)).toBeNull();
  });

  it('keeps its place when its row is removed, and its row when the order changes', () => {
    expect(keptCursor(rows, ['a', 'c'], 'b')).toBe('c');
    expect(keptCursor(rows, ['a', 'b'], 'c')).toBe('b');
    expect(keptCursor(rows, ['c', 'b', 'a'], 'b')).toBe('b');
    expect(keptCursor(rows, [], 'b')).toBeNull();
  });
});

describe('inbox selection', () => {
  const keyOf = (row: string) => row;
  it('is toggled row by row', () => {
    expect([...toggled(toggled(new Set(), 'a'), 'b')]).toEqual(['a', 'b']);
    expect([...toggled(new Set(['a']), 'a')]).toEqual([]);
  });

  it('determines the targets of an action, and the row at the cursor is used without one', () => {
    expect(targetsOf(['a', 'b', 'c'], keyOf, new Set(['c', 'a', 'gone']), 'b')).toEqual(['a', 'c']);
    expect(targetsOf(['a', 'b', 'c'], keyOf, new Set(['gone']), 'b')).toEqual(['b']);
    expect(targetsOf(['a', 'b'], keyOf, new Set(), null)).toEqual([]);
  });
});
