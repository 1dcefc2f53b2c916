import { describe, expect, it } from 'vitest';
import { formatFilters, hasFilters, parseFilters, readInboxSearch, viewOf } from './inbox-url';

describe('the address of the inbox', () => {
  it('is empty for the first view', () => {
    expect(readInboxSearch({ view: 'needs-action' })).toEqual({});
    expect(viewOf({})).toBe('needs-action');
  });

  it('drops what no filter has, and keeps the rest', () => {
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

  it('knows filters from a view', () => {
    expect(hasFilters({ view: 'closed' })).toBe(false);
    expect(hasFilters({ view: 'closed', kind: 'bisect' })).toBe(true);
  });
});

describe('a saved view', () => {
  it('restores its filters', () => {
    const search = { view: 'production', q: 'p99 & more', assignee: 'unassigned' } as const;
    expect(parseFilters(formatFilters(search))).toEqual(search);
  });

  it('is the same in any order', () => {
    expect(formatFilters({ severity: 'high', kind: 'bisect' })).toBe(
      formatFilters({ kind: 'bisect', severity: 'high' }),
    );
  });
});
