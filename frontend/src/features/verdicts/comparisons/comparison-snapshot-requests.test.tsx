import { QueryClient } from '@tanstack/react-query';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { aComparison } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { comparisonSnapshotRequests } from './comparison-snapshot-requests';
import { comparisonQuery } from './shared/comparison-queries';

describe('comparisonSnapshotRequests', () => {
  it('returns artifact kinds, chunks of finished views, and lines of functions that findings name', async () => {
    server.use(
      http.get(at('/comparisons/:id/results/traces'), () => problem(404, {})),
      http.get(at('/comparisons/:id'), () => HttpResponse.json({})),
    );
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    const comparison = aComparison({ artifact_kinds: ['profiles', 'traces'] });
    client.setQueryData(comparisonQuery(comparison.id).queryKey, comparison);

    const found = await comparisonSnapshotRequests(client, comparison.id);

    const path = `/comparisons/${comparison.id}`;
    const views = comparison.views.filter(({ state }) => state === 'done');
    expect(views).not.toEqual([]);
    expect(found[0]).toBe(`${path}/results/traces`);
    expect(found).not.toContain(`${path}/results/profiles`);
    for (const { id } of views)
      for (const part of ['first', 'functions', 'rest'])
        expect(found).toContain(`${path}/views/${id}/chunks/${part}`);
    expect(found.some((request) => request.includes('/lines?function='))).toBe(true);
    expect(new Set(found).size).toBe(found.length);
  });

  it('returns nothing before the comparison is loaded', async () => {
    expect(await comparisonSnapshotRequests(new QueryClient(), 'c1')).toEqual([]);
  });
});
