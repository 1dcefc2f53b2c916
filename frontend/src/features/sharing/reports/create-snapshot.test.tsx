import { describe, expect, it } from 'vitest';
import { snapshotRequestsOf } from './create-snapshot';

describe('what a report may hold', () => {
  it('is what the server marks, template by template', () => {
    const may = ['/builds/b1', '/builds/b1/verdict', '/dashboard?from=1', '/regression-summary'];
    const mayNot = [
      '/builds/b1/artifacts',
      '/comments?subject=x',
      '/session',
      '/regressions/r1/x/y',
      '/services-of-others',
      '/reports',
    ];
    expect(snapshotRequestsOf([...may, ...mayNot])).toEqual(may);
  });
});
