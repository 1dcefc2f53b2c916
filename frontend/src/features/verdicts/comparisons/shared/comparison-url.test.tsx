import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import { describe, expect, it } from 'vitest';
import { FLAME_MODES, ORIENTATIONS } from '../../../../engine/flame/flame-view';
import { BENCHMARK_COLUMNS } from '../../../evidence/benchmarks';
import { GROWTH_COLUMNS } from '../../../evidence/growth_logs';
import { GAP_COLUMNS, GAP_QUANTILES } from '../../../evidence/spans';
import { GROUP_COLUMNS, LEVEL_SETS, QUANTILES } from '../../../evidence/exec_traces';
import { ARTIFACT_KINDS } from './artifact-kinds';
import {
  SORT_COLUMNS,
  DEFAULT_VIEW,
  readView,
  searchOf,
  viewOf,
  type ComparisonView,
} from './comparison-url';

/** A small seeded generator: every run has the same hundred views. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

const NASTY = [
  '123',
  'true',
  'null',
  '"',
  '{"a":1}',
  '&v=2',
  '#',
  '%41',
  ' +',
  'ident.(*Pool).Clone',
  '=cmd()',
  '\u202e',
  'ключ',
  '[x]|(y)',
  '\\w+',
  '🦥',
  '<img onerror=1>',
  '\u0000',
];

function randomView(roll: () => number): ComparisonView {
  const pick = <T,>(choices: readonly T[]): T => choices[Math.floor(roll() * choices.length)]!;
  const text = () =>
    roll() < 0.4
      ? ''
      : Array.from({ length: 1 + Math.floor(roll() * 3) }, () => pick(NASTY)).join('');
  const chance = () => roll() < 0.5;
  const from = roll() * 0.5;
  return {
    kind: text(),
    sampleType: text(),
    calls: chance(),
    flame: {
      mode: pick(FLAME_MODES),
      orientation: pick(ORIENTATIONS),
      basis: pick(['', 'share', 'mean', 'per_second', 'per_request']),
      granularity: pick(['package', 'function', 'line'] as const),
      zoom: text(),
      span: chance() ? { from, to: from + roll() * 0.5 + 1e-9 } : null,
      ignore: text(),
      focus: text(),
      hide: text(),
      collapseRecursion: chance(),
      collapseCallers: chance(),
      expanded: chance() ? '4891f75e12075a85,00f1f75e12075a85' : '',
      sandwich: text(),
      search: { pattern: text(), regex: chance(), caseSensitive: chance() },
    },
    finding: chance() ? Math.floor(roll() * 40) : null,
    whole: chance(),
    unfolded: chance(),
    sort: { column: pick(SORT_COLUMNS), descending: chance() },
    lines: text(),
    assembly: chance(),
    part: pick(['', ...ARTIFACT_KINDS] as const),
    trace: {
      waiter: text(),
      quantile: pick(QUANTILES),
      sort: { column: pick(GROUP_COLUMNS), descending: chance() },
      wait: text(),
      window: chance() ? { from: Math.floor(roll() * 500) / 1000, to: 0.75 } : { from: 0, to: 1 },
      levels: pick(LEVEL_SETS),
      drawn: { base: text(), candidate: text() },
    },
    growth: { sort: { column: pick(GROWTH_COLUMNS), descending: chance() } },
    bench: { sort: { column: pick(BENCHMARK_COLUMNS), descending: chance() } },
    spans: {
      edge: text(),
      quantile: pick(GAP_QUANTILES),
      sort: { column: pick(GAP_COLUMNS), descending: chance() },
    },
  };
}

describe('link to a comparison', () => {
  it('restores 100 random views exactly', () => {
    const roll = createRandom(42);
    for (let run = 0; run < 100; run++) {
      const view = randomView(roll);
      const link = defaultStringifySearch(searchOf(view));
      expect(viewOf(readView(defaultParseSearch(link))), link).toEqual(view);
    }
  });

  it('contains only the version for the default view', () =>
    expect(defaultStringifySearch(searchOf(DEFAULT_VIEW))).toBe('?v=2'));

  it('of version 1 restores the whole graph, all callers, and the order by change of total', () => {
    const old = viewOf(readView({ v: 1, find: 2, mode: 'base' }));
    expect(old).toEqual({
      ...DEFAULT_VIEW,
      finding: 2,
      whole: true,
      sort: { column: 'change', descending: true },
      flame: { ...DEFAULT_VIEW.flame, mode: 'base', collapseCallers: false },
    });
    expect(viewOf(readView({ v: 1, zoom: 'abc', sort: 'q', asc: true }))).toMatchObject({
      flame: { zoom: 'abc' },
      sort: { column: 'q', descending: false },
    });
  });

  it('without parameters opens at the first finding, with callers collapsed', () => {
    expect(viewOf(readView({}))).toEqual(DEFAULT_VIEW);
    expect(DEFAULT_VIEW.whole).toBe(false);
    expect(DEFAULT_VIEW.flame.collapseCallers).toBe(true);
  });

  it('drops invalid parameters and keeps the valid ones', () => {
    const view = viewOf(
      readView({ v: 2, mode: 'upside-down', zoom: { a: 1 }, q: 'newstack', find: -3, from: 2 }),
    );
    expect(view).toEqual({
      ...DEFAULT_VIEW,
      flame: {
        ...DEFAULT_VIEW.flame,
        search: { pattern: 'newstack', regex: true, caseSensitive: false },
      },
    });
  });
});
