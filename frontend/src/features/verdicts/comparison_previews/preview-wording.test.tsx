import { describe, expect, it } from 'vitest';
import { aPreview, aSidePreview, sideId } from '../../../testing/preview-fixtures';
import {
  conditionsOf,
  detectableText,
  evidenceText,
  explainDisabledStart,
  headlineParts,
  isSameBuild,
  kindsOfSides,
  recordedText,
} from './preview-wording';
import { EMPTY_SIDE, type SidesChoice } from './side-choice';

const build = (n: number) => ({
  ...EMPTY_SIDE,
  source: { type: 'build' as const, build_id: sideId(n) },
});
const CHOICE: SidesChoice = { base: build(1), candidate: build(2) };
const text = (parts: { text: string }[]) => parts.map((part) => part.text).join('');
const [conclusion] = aPreview().conclusions;

describe('headlineParts', () => {
  it('returns the minimum detectable change of the first conclusive evidence', () => {
    expect(text(headlineParts(aPreview()))).toBe(
      'Detects a change of 4% in CPU time with 8 profiles per side',
    );
  });

  it('names the profile counts of both sides when they differ', () => {
    const preview = aPreview({ conclusions: [{ ...conclusion!, candidate_count: 1 }] });
    expect(text(headlineParts(preview))).toMatch(/with 8 profiles in base and 1 in candidate$/u);
  });

  it.each(['tentative', 'not-compared'] as const)('returns the API headline for %s', (state) => {
    const preview = aPreview({ conclusions: [{ ...conclusion!, state }], headline: 'No.' });
    expect(text(headlineParts(preview))).toBe('No.');
  });
});

it.each([
  [1.04, '+4%'],
  [1.298, '+30%'],
  [1.005, '+0.5%'],
  [1.8, '×1.8'],
  [17.2, '×17'],
])('detectableText formats the ratio %f as %s', (ratio, expected) => {
  expect(detectableText(ratio)).toBe(expected);
});

it('evidenceText lists evidence by kind, with metrics last', () => {
  const evidence = [
    { kind: 'profile.cpu' as const, count: 8 },
    { kind: 'trace' as const, count: 1 },
    { kind: 'growth' as const, count: 2 },
  ];
  expect(evidenceText(evidence, true)).toBe('8 CPU, 1 trace, 2 growth logs, latency metrics');
});

describe('explainDisabledStart', () => {
  const previews = { base: aSidePreview(), candidate: aSidePreview() };
  const done = { data: aPreview(), error: null };
  it('returns null when the comparison can start', () => {
    expect(explainDisabledStart(CHOICE, previews, done, true)).toBeNull();
  });
  it('names the side that is not chosen', () => {
    const oneSide = { ...CHOICE, candidate: EMPTY_SIDE };
    expect(explainDisabledStart(oneSide, previews, done, true)).toBe('Choose the candidate.');
  });
  it('names an empty side with its reason', () => {
    const empty = { ...previews, base: aSidePreview({ empty_reason: 'No files.' }) };
    expect(explainDisabledStart(CHOICE, empty, done, true)).toBe(
      'The base has nothing to compare. No files.',
    );
  });
  it('returns the headline of the API when the sides cannot be compared', () => {
    const refused = { data: aPreview({ can_compare: false, headline: 'Nothing.' }), error: null };
    expect(explainDisabledStart(CHOICE, previews, refused, true)).toBe('Nothing.');
  });
  it('explains that viewers cannot start comparisons', () => {
    expect(explainDisabledStart(CHOICE, previews, done, false)).toMatch(/^Viewers/u);
  });
});

describe('isSameBuild', () => {
  const same = { base: aSidePreview(), candidate: aSidePreview() };
  it('returns true only when both sides are the same build', () => {
    expect(isSameBuild({ base: build(1), candidate: build(1) }, same)).toBe(true);
    expect(isSameBuild(CHOICE, { ...same, candidate: aSidePreview({ build_id: sideId(2) }) })).toBe(
      false,
    );
  });
  it('returns false for two values of a label', () => {
    const [base, candidate] = ['/a', '/b'].map((value) => ({
      ...EMPTY_SIDE,
      source: { ...build(1).source, labels: [{ key: 'endpoint', value }] },
    }));
    expect(isSameBuild({ base: base!, candidate: candidate! }, same)).toBe(false);
  });
  it('returns true only for artifacts of the same binary', () => {
    const files = (build_id: string) =>
      aSidePreview({ build_id: null, conditions: [{ build_id }, { goos: 'linux' }] });
    expect(isSameBuild(CHOICE, { base: files('x'), candidate: files('x') })).toBe(true);
    expect(isSameBuild(CHOICE, { base: files('x'), candidate: files('y') })).toBe(false);
  });
});

it('kindsOfSides lists kinds of the other side with a count of 0', () => {
  const other = aSidePreview({ kinds: [{ ...aSidePreview().kinds[0]!, kind: 'trace' }] });
  const counts = kindsOfSides(aSidePreview(), other).map(({ kind, count }) => [kind, count]);
  expect(counts).toEqual([
    ['profile.cpu', 8],
    ['trace', 0],
  ]);
});

it('conditionsOf marks conditions as different only when both sides state them', () => {
  const other = aSidePreview({ conditions: [{ go_version: 'go1.26.4', goos: 'linux' }] });
  const differing = conditionsOf(aSidePreview(), other).filter(({ differs }) => differs);
  expect(differing.map(({ name, value }) => [name, value])).toEqual([
    ['go', '1.26.3'],
    ['platform', 'linux/amd64'],
  ]);
});

it('recordedText names the day once for times of the same day', () => {
  expect(recordedText(aSidePreview().kinds[0]!)).toBe('Tue 17 Nov 09:12 to 09:16');
});
