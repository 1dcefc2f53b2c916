import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Comparison, ComparisonResult } from '../../../api';
import { aComparison, aFinding, aResult } from '../../../testing/api-factories';
import { show } from '../../../testing/render';
import { ComparisonHeader } from './ComparisonHeader';

type Headline = ComparisonResult['headline'];

const aHeadline = (changed: Partial<Headline> = {}): Headline => ({
  ...aResult().headline,
  ...changed,
});

function header(result: Partial<ComparisonResult> = {}, changed: Partial<Comparison> = {}) {
  return show(
    <ComparisonHeader comparison={{ ...aComparison({ result: aResult(result) }), ...changed }} />,
  );
}

const title = () => screen.getByRole('heading', { level: 1 });

describe('verdict in ComparisonHeader', () => {
  it.each([
    ['Regressed: 32% more CPU per request (95% CI 28–36%).', '32% more CPU per request', 'more'],
    ['Improved: 9.5% less CPU per request (95% CI 8–11%).', '9.5% less CPU per request', 'less'],
    [
      'Regressed: main.run allocates more objects: 4 per second instead of 2.',
      'allocates more objects',
      'more',
    ],
    ['Improved: main.run has fewer goroutines: 4 instead of 8.', 'has fewer goroutines', 'less'],
    ['Regressed: main.run waits longer: 4 ms instead of 2.', 'waits longer', 'more'],
  ])('shows the amount in color: %s', (sentence, amount, tone) => {
    header({ headline: aHeadline({ sentence }), findings: [] });
    expect(title()).toHaveTextContent(sentence.replace(/\.$/u, ''));
    expect(screen.getByText(amount)).toHaveClass(tone);
  });

  it.each([
    'Unchanged: no change of CPU per request larger than 4%.',
    'Mixed: x.Encode +2.1 µs per request, x.Decode −1.9 µs per request.',
    'Inconclusive: 1 difference is likely, none is significant; record 4 more profiles per side for a conclusive result.',
  ])('has no color: %s', (sentence) => {
    header({ headline: aHeadline({ sentence }), findings: [] });
    expect(title().querySelectorAll('.more, .less')).toHaveLength(0);
  });

  it('shows a function name in code type', () => {
    const finding = aFinding({
      kind: 'profile.function',
      subject: 'example.com/x/shop.(*Cart).Add',
    });
    const sentence = 'Regressed: shop.(*Cart).Add takes more time.';
    header({ headline: aHeadline({ sentence }), findings: [finding] });
    expect(title().innerHTML).toContain(
      'Regressed: <span class="mono">shop.(*Cart).Add</span> <span class="more">takes more time</span>',
    );
  });

  it('shows a function name that contains another one as a whole', () => {
    const subjects = ['example.com/x/shop.(*Cart).Add', 'example.com/x/shop.(*Cart).AddAll'];
    const findings = subjects.map((subject) => aFinding({ kind: 'profile.function', subject }));
    header({
      headline: aHeadline({ sentence: 'Regressed: shop.(*Cart).AddAll takes more time.' }),
      findings,
    });
    expect(screen.getByText('shop.(*Cart).AddAll')).toHaveClass('mono');
    expect(screen.queryByText('shop.(*Cart).Add')).toBeNull();
  });
});

describe('line below the verdict in ComparisonHeader', () => {
  it('shows exact values, the interval, the profile kinds, the platform and the Go version', () => {
    const platform = { goos: 'linux', goarch: 'amd64', go_version: 'go1.26.3' };
    const sides = aResult().sides;
    header({
      sides: {
        base: { ...sides.base, run_metadata: platform },
        candidate: { ...sides.candidate, run_metadata: platform },
      },
    });
    expect(
      screen.getByText(
        '2.88 ms per request, was 2.18 ms (×1.32, 95% CI 1.28 to 1.36) · CPU profiles · linux/amd64 · go1.26.3',
      ),
    ).toBeInTheDocument();
  });

  it('leaves out values that are unknown or differ between the sides', () => {
    const sides = aResult().sides;
    header({
      headline: aHeadline({ total: null }),
      sides: {
        base: { ...sides.base, run_metadata: { goos: 'linux', go_version: 'go1.25.0' } },
        candidate: { ...sides.candidate, run_metadata: { goos: 'linux', go_version: 'go1.26.3' } },
      },
    });
    expect(screen.getByText('CPU profiles · linux')).toBeInTheDocument();
  });

  it.each([
    [{ ratio: null, base: 0 }, '2.88 ms per request, was 0 ns · '],
    [{ ci_of: 'difference' as const }, '2.88 ms per request, was 2.18 ms · '],
    [{ ci_high: 1e9 }, '(×1.32, 95% CI at least ×1.28)'],
    [{ confidence_level: 0.9 }, '90% CI 1.28 to 1.36'],
  ])('shows only known bounds of the interval, with its confidence level: %o', (changed, text) => {
    const { total } = aHeadline();
    header({ headline: aHeadline({ total: { ...total!, ...changed } }) });
    expect(title().closest('header') ?? document.body).toHaveTextContent(text);
  });

  it.each([
    [['cpu'], 'CPU profiles'],
    [['goroutine'], 'goroutine profiles'],
    [['cpu', 'allocs', 'threadcreate'], 'CPU, allocation, thread profiles'],
    [['heap', 'trace-cpu', 'growth', 'critical-path'], 'heap profiles'],
  ])('names the profile kinds for %s', (kinds, text) => {
    const [first] = aResult().profile_kinds;
    header({
      headline: aHeadline({ total: null }),
      profile_kinds: kinds.map((kind) => ({ ...first!, kind })),
    });
    expect(screen.getByText(`${text} · linux/amd64`)).toBeInTheDocument();
  });
});

describe('sides in ComparisonHeader', () => {
  const side = (label: string, artifacts: number) => ({
    label,
    artifacts,
    artifact_ids: [],
    time_range: null,
    labels: [],
    source: null,
    build_id: null,
    left_out: null,
  });

  it.each<[string, Partial<Comparison>, RegExp]>([
    [
      'labels, commits and profile counts',
      { base: side('v1', 1), candidate: side('v2', 8) },
      /base\s?v1229227f0001 profile\s?vs\s?candidate\s?v29c41e0a0008 profiles/u,
    ],
    [
      'the commit only once when the label contains it',
      { base: side('main-229227f', 1) },
      /base\s?main-229227f1 profile/u,
    ],
    [
      'no label that repeats the name of the side',
      { base: side('base', 1) },
      /base\s?229227f0001 profile/u,
    ],
    ['the number of traces', { artifact_kinds: ['traces'] }, /229227f2 traces/u],
    [
      'several kinds as a number of artifacts',
      { artifact_kinds: ['profiles', 'traces'] },
      /229227f2 artifacts/u,
    ],
  ])('show %s', (_, changed, text) => {
    header({}, changed);
    expect(document.body).toHaveTextContent(text);
  });
});
