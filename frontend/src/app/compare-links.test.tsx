import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../api';
import { aComparison, anArtifact } from '../testing/api-factories';
import { at, page, server } from '../testing/mock-api';
import { sideId } from '../testing/preview-fixtures';
import { open } from '../testing/render';

const address = async (name: string): Promise<string> =>
  decodeURIComponent((await screen.findByRole('link', { name })).getAttribute('href') ?? '');

describe('Links to the Compare page', () => {
  it('are in the top bar, and the main navigation links to the builds', async () => {
    open('/t/northwind/comparisons');
    expect(await address('Compare')).toBe('/t/northwind/compare');
    const main = within(screen.getByRole('navigation', { name: 'Main' }));
    expect(main.getByRole('link', { name: 'Builds' })).toHaveAttribute(
      'href',
      '/t/northwind/builds',
    );
  });

  it('contain one selected artifact as the base, or two as base and candidate', async () => {
    const artifacts = [
      { id: sideId(2), name: 'b.pb.gz', build_id: sideId(12), created_at: '2026-11-21T10:00:00Z' },
      { id: sideId(1), name: 'a.pb.gz', build_id: sideId(11), created_at: '2026-11-21T09:00:00Z' },
    ].map((changed) => anArtifact({ ...changed, profile: null }));
    server.use(http.get(at('/artifacts'), () => page(artifacts)));
    const { user } = open('/t/northwind/artifacts');
    await user.click(await screen.findByRole('checkbox', { name: 'Select b.pb.gz' }));
    expect(await address('Compare with…')).toContain(`base=artifacts:${sideId(2)}`);
    expect(screen.getByRole('button', { name: 'Open' })).toBeEnabled();
    await user.click(screen.getByRole('checkbox', { name: 'Select a.pb.gz' }));
    expect(await address('Compare as base and candidate')).toContain(
      `base=artifacts:${sideId(1)}&candidate=artifacts:${sideId(2)}`,
    );
    const bar = screen.getByRole('region', { name: 'Selected artifacts' });
    expect(bar).toHaveTextContent('2 artifacts selected: base 1, candidate 1');
  });
});

describe('"Change sides" link', () => {
  const sides = async (changed: Partial<Comparison>): Promise<string> => {
    const comparison = aComparison({ id: 'c1', ...changed });
    server.use(http.get(at('/comparisons/:id'), () => HttpResponse.json(comparison)));
    open('/t/northwind/comparisons/c1');
    return address('Change sides');
  };
  const { base, candidate } = aComparison();

  it('contains the ref, the build and the labels of the sides', async () => {
    const href = await sides({
      base: { ...base, source: { type: 'ref', service_id: sideId(5), ref: 'v2.30.0' } },
      candidate: {
        ...candidate,
        source: {
          type: 'build',
          build_id: sideId(6),
          labels: [{ key: 'endpoint', value: '/checkout' }],
        },
      },
    });
    expect(href).toContain(`base=ref:${sideId(5)}:v2.30.0&candidate=build:${sideId(6)}`);
    expect(href).toContain('candidateLabels=[["endpoint","/checkout"]]');
  });

  it.each(['waiting', 'running', 'failed', 'cancelled'] as const)(
    'is offered on a comparison that is %s',
    async (state) => {
      const source = { type: 'build', build_id: sideId(6) } as const;
      const sources = { base: { ...base, source }, candidate: { ...candidate, source } };
      const href = await sides({ ...sources, state, result: null, verdict: null, views: [] });
      expect(href).toContain(`base=build:${sideId(6)}&candidate=build:${sideId(6)}`);
    },
  );

  it('contains the listed artifacts and the time range of the sides', async () => {
    const href = await sides({
      base: { ...base, artifact_ids: [sideId(7), sideId(8)] },
      candidate: {
        ...candidate,
        artifacts: 0,
        time_range: {
          service_id: sideId(5),
          environment_id: sideId(9),
          from: '2026-11-20T09:00:00.000Z',
          to: '2026-11-20T10:00:00.000Z',
        },
      },
    });
    expect(href).toContain(`base=artifacts:${sideId(7)},${sideId(8)}`);
    expect(href).toContain(
      `candidate=time:${sideId(5)}:${sideId(9)}:2026-11-20T09:00:00.000Z/2026-11-20T10:00:00.000Z`,
    );
  });
});
