import { describe, expect, test } from 'vitest';
import { fitLabel, labelForms, visibleName } from './frame-label';

test.each([
  [
    'net/http.(*conn).serve',
    ['net/http.(*conn).serve', 'http.(*conn).serve', '(*conn).serve', 'serve'],
  ],
  [
    'github.com/x/store.(*Shard[...]).insert',
    [
      'github.com/x/store.(*Shard[...]).insert',
      'store.(*Shard[...]).insert',
      '(*Shard[...]).insert',
      'insert',
    ],
  ],
  ['runtime.mallocgc', ['runtime.mallocgc', 'mallocgc']],
  ['main.New.func', ['main.New.func', 'New.func']],
  ['ident.(*Pool).Clone.func', ['ident.(*Pool).Clone.func', '(*Pool).Clone.func', 'Clone.func']],
  ['gopkg.in/yaml%2ev3.Marshal', ['gopkg.in/yaml%2ev3.Marshal', 'yaml%2ev3.Marshal', 'Marshal']],
  ['slices.Sort[a/b.T]', ['slices.Sort[a/b.T]', 'Sort[a/b.T]']],
  ['[unknown] libc.so.6', ['[unknown] libc.so.6']],
  ['main', ['main']],
])('labelForms shortens %s: package first, then receiver', (name, forms) =>
  expect(labelForms(name)).toEqual(forms),
);

test('fitLabel returns the longest form that fits, or truncates the shortest', () => {
  const forms = labelForms('net/http.(*conn).serve');
  expect([22, 18, 13, 5, 4, 3, 2].map((room) => fitLabel(forms, room))).toEqual([
    'net/http.(*conn).serve',
    'http.(*conn).serve',
    '(*conn).serve',
    'serve',
    'ser…',
    'se…',
    '',
  ]);
});

describe('visibleName', () => {
  test.each([
    ['a\0b', 'a\\x00b'],
    ['a\u202egnp.exe', 'a\\u202egnp.exe'],
    ['x\u200by', 'x\\u200by'],
    ['\ud800', '\\ud800'],
    ['t\u{e0041}', 't\\u{e0041}'],
    ['line\nfeed', 'line\\x0afeed'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['שלום', 'שלום'],
    ['main.Größe', 'main.Größe'],
  ])('displays %j as %j', (name, shown) => expect(visibleName(name)).toBe(shown));
  test('truncates a name of 64 KiB and never splits a surrogate pair', () => {
    expect(visibleName('x'.repeat(65536))).toHaveLength(401);
    expect(visibleName(`${'x'.repeat(399)}😀y`)).toBe(`${'x'.repeat(399)}…`);
  });
});
