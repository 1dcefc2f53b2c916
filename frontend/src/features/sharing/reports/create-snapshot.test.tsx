import { describe, expect, it } from 'vitest';
import { snapshotRequestsOf } from './create-snapshot';

describe('snapshotRequestsOf', () => {
  it('keeps only requests that the API allows in a snapshot', () => {
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
