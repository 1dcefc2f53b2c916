import { describe, expect, test } from 'vitest';
import {
  isProfileStep,
  profileSearchOf,
  profileViewOf,
  readProfileSearch,
  type ProfilePageView,
} from './profile-url';

const USUAL = profileViewOf({});

const CHOSEN: ProfilePageView = {
  ...USUAL,
  tab: 'graph',
  kind: 'heap',
  sampleType: 'inuse_space',
  labels: [
    { key: 'endpoint', value: '/checkout' },
    { key: 'tenant', value: null },
  ],
  selected: 'ident.(*Pool).Clone',
  labelKey: 'tenant',
  sort: { column: 'total', descending: false },
  withRuntime: true,
  flame: {
    ...USUAL.flame,
    basis: 'share',
    category: 'gc-mark',
    focus: '^main$',
    zoom: '00ff',
    span: { from: 0.25, to: 0.5 },
    search: { pattern: 'read', regex: true, caseSensitive: true },
  },
};

describe('profile URL', () => {
  test('restores a complete view', () => {
    const search = JSON.parse(JSON.stringify(profileSearchOf(CHOSEN))) as Record<string, unknown>;
    expect(profileViewOf(readProfileSearch(search))).toEqual(CHOSEN);
  });

  test('omits default values', () => {
    expect(profileSearchOf(USUAL)).toEqual({ v: 1 });
  });

  test.each([
    ['an unknown tab', { tab: 'other', fn: 'main.main' }],
    [
      'too many labels',
      { labels: Array.from({ length: 21 }, (_, at) => [`k${at}`, 'v']), fn: 'main.main' },
    ],
    ['a label without a key', { labels: [['', 'v']], fn: 'main.main' }],
    ['labels that are text', { labels: 'endpoint', fn: 'main.main' }],
  ])('ignores %s and keeps the other parameters', (_, search) => {
    const view = profileViewOf(readProfileSearch(search));
    expect(view).toEqual({ ...USUAL, selected: 'main.main' });
  });

  test('adds a history entry for another tab or zoom, but not for a drag or a keystroke', () => {
    const zoomed = { ...USUAL, flame: { ...USUAL.flame, zoom: '00ff' } };
    const search = { ...USUAL.flame.search, pattern: 'read' };
    const typed = { ...USUAL, flame: { ...USUAL.flame, search } };
    const dragged = { ...USUAL, flame: { ...USUAL.flame, span: { from: 0.1, to: 0.4 } } };
    expect(isProfileStep(USUAL, { ...USUAL, tab: 'lines' })).toBe(true);
    expect(isProfileStep(USUAL, zoomed)).toBe(true);
    expect(isProfileStep(USUAL, dragged)).toBe(false);
    expect(isProfileStep(USUAL, typed)).toBe(false);
  });
});
