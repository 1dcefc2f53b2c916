import { describe, expect, it } from 'vitest';
import { aProfileSet, aProfileSummary } from '../../../testing/profile-fixtures';
import { factsText } from './profile-wording';

const facts = (changed: Parameters<typeof aProfileSummary>[0]) =>
  factsText(aProfileSet(), aProfileSummary(changed), null);

describe('factsText', () => {
  it('describes totals with their unit, or as numbers of what is counted', () => {
    const total = { raw: 2000, per_second: null, per_request: 0.02, cores: null };
    const type = { type: 'stack_growths', unit: 'count' };
    expect(facts({ kind: 'growth', sample_type: type, total })).toMatch(
      /^0\.02\d* stack growths per request · 2,000 stack growths over /u,
    );
    expect(facts({ total: { ...total, raw: 10e9, per_request: 2.88e6 } })).toMatch(
      /^2\.88 ms of CPU per request · 10 s of CPU over /u,
    );
  });
});
