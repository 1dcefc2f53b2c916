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

describe('the headline', () => {
  it('is the minimum detectable change of the first conclusive evidence', () => {
    expect(text(headlineParts(aPreview()))).toBe(
      'Detects a change of 4% in CPU time with 8 profiles per side',
    );
  });

  it('names both counts where they differ', () => {
    const preview = aPreview({ conclusions: [{ ...conclusion!, candidate_count: 1 }] });
    expect(text(headlineParts(preview))).toMatch(/with 8 profiles in base and 1 in candidate$/u);
  });

  it.each(['tentative', 'not-compared'] as const)('of %s evidence is that of the API', (state) => {
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
])('a detectable ratio of %f is %s', (ratio, expected) => {
  expect(detectableText(ratio)).toBe(expected);
});

it('evidence is listed by kind, metrics last', () => {
  const evidence = [
    { kind: 'profile.cpu' as const, count: 8 },
    { kind: 'trace' as const, count: 1 },
    { kind: 'growth' as const, count: 2 },
  ];
  expect(evidenceText(evidence, true)).toBe('8 CPU, 1 trace, 2 growth logs, latency metrics');
});

describe('the reason why a comparison cannot start', () => {
  const previews = { base: aSidePreview(), candidate: aSidePreview() };
  const done = { data: aPreview(), error: null };
  it('is none when all is known', () => {
    expect(explainDisabledStart(CHOICE, previews, done, true)).toBeNull();
  });
  it('is the side that is not chosen', () => {
    const oneSide = { ...CHOICE, candidate: EMPTY_SIDE };
    expect(explainDisabledStart(oneSide, previews, done, true)).toBe('Choose the candidate.');
  });
  it('is an empty side with its reason', () => {
    const empty = { ...previews, base: aSidePreview({ empty_reason: 'No files.' }) };
    expect(explainDisabledStart(CHOICE, empty, done, true)).toBe(
      'The base has nothing to compare. No files.',
    );
  });
  it('is what the API states', () => {
    const refused = { data: aPreview({ can_compare: false, headline: 'Nothing.' }), error: null };
    expect(explainDisabledStart(CHOICE, previews, refused, true)).toBe('Nothing.');
  });
  it('is the role of a viewer', () => {
    expect(explainDisabledStart(CHOICE, previews, done, false)).toMatch(/^Viewers/u);
  });
});

describe('A/A', () => {
  const same = { base: aSidePreview(), candidate: aSidePreview() };
  it('is the same build on both sides', () => {
    expect(isSameBuild({ base: build(1), candidate: build(1) }, same)).toBe(true);
    expect(isSameBuild(CHOICE, { ...same, candidate: aSidePreview({ build_id: sideId(2) }) })).toBe(
      false,
    );
  });
  it('is not two values of a label', () => {
    const [base, candidate] = ['/a', '/b'].map((value) => ({
      ...EMPTY_SIDE,
      source: { ...build(1).source, labels: [{ key: 'endpoint', value }] },
    }));
    expect(isSameBuild({ base: base!, candidate: candidate! }, same)).toBe(false);
  });
  it('is artifacts of one binary', () => {
    const files = (build_id: string) =>
      aSidePreview({ build_id: null, conditions: [{ build_id }, { goos: 'linux' }] });
    expect(isSameBuild(CHOICE, { base: files('x'), candidate: files('x') })).toBe(true);
    expect(isSameBuild(CHOICE, { base: files('x'), candidate: files('y') })).toBe(false);
  });
});

it('kinds of the other side are rows with a count of 0', () => {
  const other = aSidePreview({ kinds: [{ ...aSidePreview().kinds[0]!, kind: 'trace' }] });
  const counts = kindsOfSides(aSidePreview(), other).map(({ kind, count }) => [kind, count]);
  expect(counts).toEqual([
    ['profile.cpu', 8],
    ['trace', 0],
  ]);
});

it('conditions differ only where both sides state them', () => {
  const other = aSidePreview({ conditions: [{ go_version: 'go1.26.4', goos: 'linux' }] });
  const differing = conditionsOf(aSidePreview(), other).filter(({ differs }) => differs);
  expect(differing.map(({ name, value }) => [name, value])).toEqual([
    ['go', '1.26.3'],
    ['platform', 'linux/amd64'],
  ]);
});

it('times of one day name the day once', () => {
  expect(recordedText(aSidePreview().kinds[0]!)).toBe('Tue 17 Nov 09:12 to 09:16');
});
