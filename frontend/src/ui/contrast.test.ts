/** Tests the contrast of the colors in `tokens.css`: text 4.5:1, marks 3:1, in both schemes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

function colours(selector: RegExp): Record<string, string> {
  const block = selector.exec(css)?.[1] ?? '';
  const found = block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g);
  return Object.fromEntries(Array.from(found, ([, name = '', value = '']) => [name, value]));
}

const light = colours(/:root \{(.*?)\n\}/s);
const schemes = {
  light,
  dark: { ...light, ...colours(/\[data-mantine-color-scheme='dark'\] \{(.*?)\n\}/s) },
};

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** Which text color is used on which backgrounds in the style sheets. */
const TEXT: [string, string[]][] = [
  [
    'text',
    [
      'bg',
      'surface',
      'sunken',
      'hover',
      'selected',
      'accent-soft',
      'err-soft',
      'm1',
      'm2',
      'm3',
      'l1',
      'l2',
      'l3',
    ],
  ],
  ['text-2', ['bg', 'surface', 'sunken', 'hover', 'selected', 'err-soft', 'm2']],
  ['muted', ['bg', 'surface', 'sunken', 'hover', 'selected', 'accent-soft']],
  ['accent-text', ['bg', 'surface', 'hover', 'accent-soft', 'err-soft']],
  ['more-text', ['bg', 'surface', 'hover', 'selected']],
  ['less-text', ['bg', 'surface', 'hover', 'selected']],
  ['err', ['bg', 'surface', 'err-soft', 'hover']],
  ['noise-text', ['noise']],
  ['on-accent', ['accent']],
  ['on-more', ['m4']],
  ['on-less', ['l4']],
];

const MARKS: [string, string[]][] = [
  ['accent', ['bg', 'surface', 'selected']],
  ['more', ['bg', 'surface', 'selected']],
  ['less', ['bg', 'surface', 'selected']],
  ['control', ['bg', 'surface', 'hover']],
  ['err', ['bg', 'err-soft']],
  ['ok', ['bg']],
  ['warn-mark', ['bg', 'sunken']],
  ['base-line', ['bg', 'surface']],
  ['cand-line', ['bg', 'surface']],
  ['q3', ['bg']],
  ['p-mean', ['bg']],
];

describe.each(Object.entries(schemes))('colors of the %s scheme', (_, scheme) => {
  const pairs = (list: [string, string[]][]) =>
    list.flatMap(([front, backs]) => backs.map((back) => [front, back] as const));

  it.each(pairs(TEXT))('text color %s has a contrast of at least 4.5:1 on %s', (front, back) =>
    expect(contrast(scheme[front]!, scheme[back]!)).toBeGreaterThanOrEqual(4.5),
  );

  it.each(pairs(MARKS))('mark color %s has a contrast of at least 3:1 on %s', (front, back) =>
    expect(contrast(scheme[front]!, scheme[back]!)).toBeGreaterThanOrEqual(3),
  );
});
