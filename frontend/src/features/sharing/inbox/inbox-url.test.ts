import { describe, expect, it } from 'vitest';
import { formatFilters, hasFilters, parseFilters, readInboxSearch, viewOf } from './inbox-url';

describe('URL of the inbox', () => {
  it('is empty for the default view', () => {
    expect(readInboxSearch({ view: 'needs-action' })).toEqual({});
    expect(viewOf({})).toBe('needs-action');
  });

  it('drops invalid values and keeps the rest', () => {
    expect(
      readInboxSearch({
        view: 'everything',
        kind: 'regression',
        severity: 'worst',
        q: 'x'.repeat(201),
        service: 's1',
      }),
    ).toEqual({ kind: 'regression', service: 's1' });
  });

  it('distinguishes filters from a view', () => {
    expect(hasFilters({ view: 'closed' })).toBe(false);
    expect(hasFilters({ view: 'closed', kind: 'bisect' })).toBe(true);
  });
});

describe('saved view of the inbox', () => {
  it('restores its filters', () => {
    const search = { view: 'production', q: 'p99 & more', assignee: 'unassigned' } as const;
    expect(parseFilters(formatFilters(search))).toEqual(search);
  });

  it('does not depend on the order of its filters', () => {
    expect(formatFilters({ severity: 'high', kind: 'bisect' })).toBe(
      formatFilters({ kind: 'bisect', severity: 'high' }),
    );
  });
});
