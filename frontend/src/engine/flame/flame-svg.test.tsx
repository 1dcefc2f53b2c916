import { describe, expect, test } from 'vitest';
import { FILL } from '../format/change-class';
import type { SvgGraph } from './flame-svg';
import { flameSvg, xmlText } from './flame-svg';

const COLOURS = {
  background: '#fff',
  text: '#000',
  muted: '#666',
  accent: '#00f',
  more: '#f00',
  less: '#00f',
  onMore: '#fff',
  onLess: '#fff',
  hatch: '#fa0',
  noiseLine: '#ccc',
  fill: Array.from({ length: 13 }, () => '#eee'),
  ink: Array.from({ length: 13 }, () => '#111'),
};

function graph(name: string, fill: number = FILL.noise): SvgGraph {
  const marks = { fill, outlined: true, hairlines: null };
  const frame = { x: 0, y: 0, width: 300, height: 17, label: name, title: name, ...marks };
  const rest = { x: 10, y: 18, width: 90, label: name, title: name };
  return {
    width: 300,
    height: 36,
    title: name,
    note: name,
    frames: [frame],
    rests: [rest],
    colours: COLOURS,
  };
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'onload='alert(1)",
  ']]><x/>',
  '<!--',
  '&lt;',
  '&#0;',
  '\0\u0001\u001f',
  '\u202e<b>',
  '\ud800',
  '\ufffe\uffff',
  '<?xml?>',
  'x'.repeat(65536),
  'javascript:alert(1)',
];

describe('flameSvg', () => {
  test.each(HOSTILE)('renders an untrusted name as text only (%#)', (name) => {
    const text = flameSvg(graph(name));
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    expect(parsed.querySelector('parsererror')).toBeNull();
    const elements = new Set([...parsed.querySelectorAll('*')].map((element) => element.tagName));
    expect([...elements].sort()).toEqual([
      'defs',
      'g',
      'path',
      'pattern',
      'rect',
      'svg',
      'text',
      'title',
    ]);
    for (const element of parsed.querySelectorAll('*')) {
      expect(
        [...element.attributes].filter((attribute) => /^on|href/iu.test(attribute.name)),
      ).toEqual([]);
    }
    expect(text.length).toBeLessThan(20_000);
  });
  test('escapes markup in a color', () => {
    expect(
      flameSvg({ ...graph('a'), colours: { ...COLOURS, accent: '"/><script>' } }),
    ).not.toContain('<script');
  });
});

test('flameSvg marks removed, added, increased and decreased frames by different shapes', () => {
  const count = (fill: number, what: string): number =>
    flameSvg(graph('a', fill)).split(what).length - 1;
  expect(count(FILL.onlyBase, 'stroke-dasharray')).toBe(1);
  expect(count(FILL.onlyCandidate, 'fill="url(#hatch)"')).toBe(1);
  expect(count(FILL.more, 'l-3.5 -6z')).toBe(1);
  expect(count(FILL.less, 'l-3.5 6z')).toBe(1);
  expect(count(FILL.noise, 'l-3.5')).toBe(0);
});

test('xmlText escapes every special character', () =>
  expect(xmlText(`<&>"'`)).toBe('&lt;&amp;&gt;&quot;&#39;'));
