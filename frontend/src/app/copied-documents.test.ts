import { describe, expect, it } from 'vitest';
import type { Comparison } from '../api';
import { aComparison, aFinding, aResult } from '../testing/api-factories';
import { aBisect } from '../testing/bisect-fixtures';
import { aProductionEvent } from '../testing/event-fixtures';
import { aRegression } from '../testing/regression-fixtures';
import { copyBisect, copyComparison, copyEvent, copyRegression } from './copied-documents';

describe('documents as text to take along', () => {
  const comparison: Comparison = aComparison({
    verdict_sentence: 'It is slower.',
    result: aResult({
      findings: [aFinding(), aFinding({ subject: 'main.slow', is_significant: false })],
    }),
  });

  it('have the announced findings of a comparison, each with its interval', () => {
    const { title, sentence, rows } = copyComparison(comparison, null);
    expect([title, sentence]).toEqual([comparison.name, comparison.verdict_sentence]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.change).toMatch(/^×[\d.]+ \(95% CI [\d.]+ to [\d.]+\), q = /u);
    expect(rows[0]?.value).toContain(' → ');
  });

  it('have the opened finding alone, also if it is not significant', () => {
    const { title, sentence, rows } = copyComparison(comparison, 1);
    expect(title).toBe(`${comparison.name}: main.slow`);
    expect(sentence).toBe(aFinding().sentence);
    expect(rows).toHaveLength(1);
  });

  it('name numbers and proof of a regression, an event and a bisect', () => {
    const regression = copyRegression(aRegression());
    expect(regression.title).toContain('egression');
    expect(regression.rows.length).toBeGreaterThan(0);
    const event = copyEvent(aProductionEvent());
    expect(event.title).toMatch(/^Production event/u);
    expect(event.rows[0]?.change).toMatch(/^×[\d.]+ \(95% CI/u);
    const bisect = copyBisect(aBisect());
    expect(bisect.rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Probability', 'Range', 'Deployments']),
    );
  });
});
