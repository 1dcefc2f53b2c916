import { describe, expect, it } from 'vitest';
import type { Comparison, EmbeddedPanel } from '../api';
import { aComparison, aFinding, aResult } from '../testing/api-factories';
import { aBisect } from '../testing/bisect-fixtures';
import { aProductionEvent } from '../testing/event-fixtures';
import { aRegression } from '../testing/regression-fixtures';
import {
  copyBisect,
  copyComparison,
  copyEvent,
  copyRegression,
  findEventImage,
} from './copied-documents';

describe('Copied text', () => {
  const comparison: Comparison = aComparison({
    verdict_sentence: 'It is slower.',
    result: aResult({
      findings: [aFinding(), aFinding({ subject: 'main.slow', is_significant: false })],
    }),
  });

  it('contains the significant findings of a comparison with their confidence intervals', () => {
    const { title, sentence, rows } = copyComparison(comparison, null);
    expect([title, sentence]).toEqual([comparison.name, comparison.verdict_sentence]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.change).toMatch(/^×[\d.]+ \(95% CI [\d.]+ to [\d.]+\), q = /u);
    expect(rows[0]?.value).toContain(' → ');
  });

  it('contains only the opened finding, even if it is not significant', () => {
    const { title, sentence, rows } = copyComparison(comparison, 1);
    expect(title).toBe(`${comparison.name}: main.slow`);
    expect(sentence).toBe(aFinding().sentence);
    expect(rows).toHaveLength(1);
  });

  it('contains the numbers of a regression, a production event and a bisect', () => {
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

describe('findEventImage', () => {
  const event = aProductionEvent();
  const since = Date.parse(event.item.since_at!);
  const aPanel = (changed: Partial<EmbeddedPanel> = {}): EmbeddedPanel => ({
    id: 'p1',
    service_id: event.item.service!.id,
    environment_id: event.range.environment_id,
    panel: 'latency',
    split_label: null,
    length_s: 3600,
    until_ms: since + 60_000,
    expires_at: '2027-01-01T00:00:00Z',
    page_url: 'https://slowpath.example.com/embed/p1',
    image_url: 'https://slowpath.example.com/embed/p1.svg',
    created_at: '2026-11-18T16:00:00Z',
    ...changed,
  });

  it('returns the image of an embedded panel that shows the event', () => {
    expect(findEventImage(event, [aPanel()])).toBe('https://slowpath.example.com/embed/p1.svg');
  });

  it.each<[string, Partial<EmbeddedPanel>]>([
    ['another environment', { environment_id: 'other' }],
    ['another signal', { panel: 'requests' }],
    ['an earlier time', { until_ms: since - 1 }],
    ['a later time', { until_ms: since + 7_200_000 }],
    ['a server without a public address', { image_url: 'http://127.0.0.1:8104/embed/p1.svg' }],
    ['a server with a host name without a dot', { image_url: 'http://slowpath/embed/p1.svg' }],
  ])('returns nothing for a panel of %s', (_, changed) => {
    expect(findEventImage(event, [aPanel(changed)])).toBeUndefined();
  });

  it('returns nothing for an event of a gauge', () =>
    expect(findEventImage({ ...event, signal: 'gauge' }, [aPanel()])).toBeUndefined());
});
