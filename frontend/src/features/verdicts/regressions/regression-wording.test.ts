import { describe, expect, it } from 'vitest';
import type { RegressionEvent } from '../../../api';
import { aRegression } from '../../../testing/regression-fixtures';
import {
  eventText,
  headlineText,
  kindText,
  requiredEvidenceText,
  seriesName,
  toneOf,
} from './regression-wording';

describe('headlineText', () => {
  it.each([
    [0, 0, 0, 'No open regressions'],
    [0, 0, 1, 'One regression is open, none are new'],
    [0, 0, 12, '12 regressions are open, none are new'],
    [1, 0, 4, 'One regression is new'],
    [1, 1, 4, '1 new regression, unassigned'],
    [3, 0, 4, 'Three regressions are new'],
    [3, 1, 4, 'Three regressions are new, one of them unassigned'],
    [11, 10, 11, '11 regressions are new, 10 of them unassigned'],
    [2, 2, 4, 'Two regressions are new, all of them unassigned'],
  ])('describes %i new, %i unassigned and %i open', (fresh, unassigned, open, sentence) => {
    expect(headlineText(fresh, unassigned, open)).toBe(sentence);
  });
});

describe('requiredEvidenceText', () => {
  it.each([
    [{ profiles: 4, builds: 2 }, 'needs 4 more profiles of this build or 2 more builds'],
    [{ profiles: 1, builds: null }, 'needs 1 more profile of this build'],
    [{ profiles: null, builds: 1 }, 'needs 1 more build'],
  ])('describes %o in words', (needs, words) => {
    expect(requiredEvidenceText(needs)).toBe(`${words} for a conclusive result`);
  });

  it('returns null when no evidence is required', () => {
    expect(requiredEvidenceText(null)).toBeNull();
    expect(requiredEvidenceText({ profiles: null, builds: null })).toBeNull();
  });
});

describe('eventText', () => {
  const text = (kind: RegressionEvent['kind'], details: Record<string, unknown> = {}) =>
    eventText({ id: 'h', kind, actor: null, details, created_at: '' }, (id) => `member ${id}`);

  it('names states and members in place of their ids', () => {
    expect(text('state', { from: 'acknowledged', to: 'not-a-regression' })).toBe(
      'acknowledged → not a regression',
    );
    expect(text('assignee', { to: '7' })).toBe('assigned to member 7');
    expect(text('assignee', { to: null })).toBe('unassigned');
    expect(text('due', { to: '2026-12-01' })).toBe('due on 2026-12-01');
  });

  it('returns the sentence of the evaluation, or default words without one', () => {
    expect(text('fixed', { sentence: 'Back to 10% since 5f3c1e8.' })).toBe(
      'Back to 10% since 5f3c1e8.',
    );
    expect(text('fixed')).toBe('fixed');
    expect(text('improved')).toBe('improved beyond the old level');
    expect(text('still-slower')).toBe('still slower');
  });

  it('states why no bisect was started', () => {
    expect(text('bisect-not-started', { to: 'budget', sentence: 'Used up.' })).toBe(
      'no bisect was started automatically: Used up.',
    );
  });

  it('names the branches of a merge', () => {
    expect(text('merged-to-branch', { from: 'feature', to: 'main' })).toBe(
      'reached main from feature',
    );
    expect(text('merged-to-branch', { to: 'main' })).toBe(
      'reached main from builds without a branch',
    );
  });
});

describe('series and regressions', () => {
  it('seriesName returns the name, else the subject, else the kind', () => {
    const series = { kind: 'profile.category', subject: 'gc', name: 'Garbage collection' };
    expect(seriesName(series)).toBe('Garbage collection');
    expect(seriesName({ ...series, name: '' })).toBe('gc');
    expect(seriesName({ ...series, name: '', subject: '' })).toBe('runtime categories');
    expect(kindText('later.kind')).toBe('later.kind');
  });

  it('toneOf returns "more" for a worse level, "less" for a better one, "quiet" for a dismissed one', () => {
    expect(toneOf(aRegression({ state: 'acknowledged' }))).toBe('more');
    expect(toneOf(aRegression({ direction: 'better', state: 'improved' }))).toBe('less');
    expect(toneOf(aRegression({ state: 'ignored' }))).toBe('quiet');
    expect(toneOf(aRegression({ state: 'not-a-regression' }))).toBe('quiet');
  });
});
