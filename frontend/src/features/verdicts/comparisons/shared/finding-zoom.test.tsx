import { describe, expect, test } from 'vitest';
import { aFinding } from '../../../../testing/api-factories';
import { namesOfKey } from '../../../../engine/flame/flame-view';
import { DEFAULT_VIEW } from './comparison-url';
import { flameAtFinding, viewOfFlame, zoomOfFinding } from './finding-zoom';

const CPU = { kind: 'cpu', sampleType: 'cpu', granularity: 'function' } as const;
const CLONE = 'example.com/northwind/ident.(*Pool).Clone';
const ZOOM = zoomOfFinding([aFinding()], null, CPU)!;

describe('zoomOfFinding', () => {
  test('returns the path to the attributed caller, without runtime frames', () => {
    expect(ZOOM.number).toBe(1);
    expect(namesOfKey(ZOOM.key)).toEqual(['main.main', CLONE]);
  });

  test('returns the function for a finding about a function', () => {
    const finding = aFinding({ kind: 'profile.function', subject: 'a.B' });
    expect(namesOfKey(zoomOfFinding([aFinding(), finding], 1, CPU)!.key)).toEqual(['a.B']);
  });

  test.each([
    ['another kind of profile', aFinding({ profile_kind: 'heap' }), CPU],
    ['no known caller', aFinding({ attributed_callers: [] }), CPU],
    ['traces', aFinding({ kind: 'trace.gc' }), CPU],
    ['another granularity', aFinding(), { ...CPU, granularity: 'line' as const }],
  ])('returns null with %s', (_, finding, wanted) => {
    expect(zoomOfFinding([finding], null, wanted)).toBeNull();
  });
});

describe('graph of a view', () => {
  test('opens at the finding, and does not store that zoom with another change', () => {
    const flame = flameAtFinding(DEFAULT_VIEW, ZOOM);
    expect(flame.zoom).toBe(ZOOM.key);
    expect(viewOfFlame(DEFAULT_VIEW, { ...flame, mode: 'base' }, ZOOM)).toEqual({
      ...DEFAULT_VIEW,
      flame: { ...DEFAULT_VIEW.flame, mode: 'base' },
    });
  });

  test('shows all frames after the zoom to the finding, or one within it, was left', () => {
    const left = viewOfFlame(DEFAULT_VIEW, { ...DEFAULT_VIEW.flame, zoom: '' }, ZOOM);
    expect(left.whole).toBe(true);
    expect(flameAtFinding(left, ZOOM).zoom).toBe('');
    const inside = viewOfFlame(DEFAULT_VIEW, { ...DEFAULT_VIEW.flame, zoom: 'abc' }, ZOOM);
    expect(flameAtFinding(inside, ZOOM).zoom).toBe('abc');
    const out = viewOfFlame(inside, { ...inside.flame, zoom: '' }, ZOOM);
    expect(flameAtFinding(out, ZOOM).zoom).toBe('');
  });

  test('is not zoomed when it shows callers and callees of a function', () => {
    const view = { ...DEFAULT_VIEW, flame: { ...DEFAULT_VIEW.flame, sandwich: 'a.B' } };
    expect(flameAtFinding(view, ZOOM).zoom).toBe('');
  });
});
