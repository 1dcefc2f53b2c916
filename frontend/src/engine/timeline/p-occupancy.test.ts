import { describe, expect, test } from 'vitest';
import { layOutOccupancyBars } from './occupancy-bars';
import {
  PATTERNS,
  OccupantPatterns,
  describeOccupant,
  occupancyPhrase,
  type WeightedOccupant,
} from './p-occupancy';
import { bandOf, placeOf, quantileAxis, quantileName } from './quantile-plot';

const user = (group: string, weight: number, isNew = false): WeightedOccupant => ({
  kind: 'user',
  group,
  weight,
  isNew,
});

describe('OccupantPatterns', () => {
  test('gives each of the heaviest groups a pattern and the culprit a separate one', () => {
    const paints = new OccupantPatterns([
      user('a', 1),
      user('b', 5),
      user('hog', 0.5, true),
      user('c', 3),
      user('d', 2),
    ]);
    const of = (group: string) => paints.of({ kind: 'user', group });
    expect([of('hog'), of('b'), of('c'), of('d'), of('a'), of('never seen')]).toEqual([
      'culprit',
      'user1',
      'user2',
      'user3',
      'others',
      'others',
    ]);
  });
  test('uses the pattern of a group also while it sweeps, and the GC pattern for an assist', () => {
    const paints = new OccupantPatterns([user('a', 1)]);
    expect(paints.of({ kind: 'user-sweep', group: 'a' })).toBe('user1');
    expect(paints.of({ kind: 'user-assist', group: 'a' })).toBe('gc');
  });
  test('assigns a pattern to every kind, including unknown ones', () => {
    const paints = new OccupantPatterns([]);
    const kinds = [
      'stw',
      'gc-idle',
      'syscall',
      'scheduler',
      'runtime',
      'idle',
      'unknown',
      'new kind',
    ];
    expect(kinds.map((kind) => paints.of({ kind, group: null }))).toEqual([
      'stop',
      'gc',
      'syscall',
      'runtime',
      'runtime',
      'idle',
      'unknown',
      'unknown',
    ]);
    expect(new Set(PATTERNS).size).toBe(PATTERNS.length);
  });
});

test('describeOccupant describes occupants in words', () => {
  expect(describeOccupant({ kind: 'user', group: 'main.tick' })).toBe('main.tick');
  expect(describeOccupant({ kind: 'syscall', group: null })).toBe('in a syscall');
  expect(describeOccupant({ kind: 'user-assist', group: 'main.serve' })).toBe(
    'main.serve, assisting the GC',
  );
  expect(describeOccupant({ kind: 'something', group: null })).toBe('something');
});

test('occupancyPhrase names occupants in a phrase without their package path', () => {
  const phraseOf = (kind: string, group: string | null = null) => {
    const { lead, name } = occupancyPhrase({ kind, group });
    return `${lead} ${name}`;
  };
  const long = 'github.com/nats-io/nats-server/v2/server.(*client).readLoop';
  expect(phraseOf('user', long)).toBe('behind server.(*client).readLoop');
  expect(phraseOf('syscall', long)).toBe('behind server.(*client).readLoop, in a syscall');
  expect(phraseOf('syscall')).toBe('behind system calls');
  expect(phraseOf('idle')).toBe('while a P was idle');
  expect(phraseOf('scheduler')).toBe('while a P searched for work');
  expect(phraseOf('stw')).toBe('behind a stop-the-world pause');
  expect(phraseOf('gc-dedicated')).toBe('behind GC workers');
});

describe('layOutOccupancyBars', () => {
  const part = (
    kind: string,
    group: string | null,
    base: number,
    candidate: number,
    isNew = false,
  ) => ({
    kind,
    group,
    base,
    candidate,
    isNew,
    low: null,
    high: null,
  });
  const bars = layOutOccupancyBars([
    part('idle', null, 5, 3),
    part('user', 'sql', 24, 31),
    part('user', 'hog', 0, 1016, true),
    part('user', 'sql', 1, 1),
    part('stw', null, 0.001, 0.001),
  ]);
  test('lays out bars that add up to the total and touch without gaps', () => {
    expect(bars.candidateTotal).toBeCloseTo(1051.001, 9);
    expect(bars.candidate.reduce((at, bar) => (bar.from === at ? bar.to : NaN), 0)).toBe(
      bars.candidate[bars.candidate.length - 1]!.to,
    );
  });
  test('places new occupants first and idle last, and merges equal classes', () => {
    expect(bars.candidate.map(({ part: { group, kind } }) => group ?? kind)).toEqual([
      'hog',
      'sql',
      'stw',
      'idle',
    ]);
    expect(bars.base[0]?.part.group).toBe('sql');
    expect(bars.base[0]?.to).toBe(25);
  });
  test('lists visible parts and counts the small ones', () => {
    expect(bars.listed.map(({ group, kind }) => group ?? kind)).toEqual(['hog', 'sql', 'idle']);
    expect(bars.small).toBe(1);
  });
});

describe('quantile plot', () => {
  const points = [
    { q: 0.5, base_ns: 4e3, candidate_ns: 21e3, low_ns: 10e3, high_ns: 20e3 },
    { q: 0.99, base_ns: 230e3, candidate_ns: 4.37e6, low_ns: 3e6, high_ns: 5e6 },
    { q: 0.9999, base_ns: null, candidate_ns: 19e6, low_ns: null, high_ns: null },
  ];
  const axis = quantileAxis(points, { x0: 0, x1: 600, y0: 0, y1: 100 });
  test('spaces labeled quantiles evenly and places others between them', () => {
    expect([0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999].map(placeOf)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(placeOf(0.995)).toBeGreaterThan(4);
    expect(placeOf(0.1)).toBe(0);
    expect(axis.x(0.99)).toBeCloseTo(400, 9);
  });
  test('has an axis of whole decades that covers all values', () => {
    expect(axis.lines).toEqual([1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
    expect(axis.y(1e3)).toBe(100);
    expect(axis.y(1e8)).toBe(0);
    expect(axis.y(0)).toBe(100);
  });
  test('draws a band only where there is an interval', () => {
    expect(bandOf(points)).toEqual([
      { q: 0.5, low: 14e3, high: 24e3 },
      { q: 0.99, low: 3.23e6, high: 5.23e6 },
    ]);
  });
  test('formats quantiles as p50, p99.9 and p99.99', () =>
    expect([0.5, 0.999, 0.9999].map(quantileName)).toEqual(['p50', 'p99.9', 'p99.99']));
});
