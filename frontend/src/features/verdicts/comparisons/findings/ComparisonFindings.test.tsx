import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { Comparison } from '../../../../api';
import { aComparison, aFinding, aResult } from '../../../../testing/api-factories';
import { at, problem, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import ComparisonFindings from './ComparisonFindings';

function open(comparison: Comparison) {
  server.use(http.get(at('/comparisons/:id'), () => HttpResponse.json(comparison)));
  const onOpen = vi.fn<(finding: number) => void>();
  return { ...show(<ComparisonFindings id="c1" onOpen={onOpen} />), onOpen };
}

describe('ComparisonFindings', () => {
  it('opens the comparison at the chosen finding', async () => {
    const findings = [aFinding({ sentence: 'A rose.' }), aFinding({ sentence: 'B rose.' })];
    const { user, onOpen } = open(aComparison({ state: 'done', result: aResult({ findings }) }));
    await screen.findByRole('list', { name: /^Findings/u });
    await user.click(screen.getByTitle('B rose.'));
    await user.click(screen.getByRole('button', { name: 'Explain finding 1' }));
    expect(onOpen.mock.calls.map(([finding]) => finding)).toEqual([1, 0]);
  });

  it('shows that a waiting comparison is not done yet', async () => {
    open(aComparison({ state: 'waiting', result: null }));
    expect(await screen.findByText(/waiting for a worker/u)).toBeVisible();
  });

  it('shows that a failed comparison has no result', async () => {
    open(aComparison({ state: 'failed', result: null }));
    expect(await screen.findByText('The comparison has no result.')).toBeVisible();
  });

  it('shows the error when the comparison cannot be loaded', async () => {
    server.use(http.get(at('/comparisons/:id'), () => problem(404, { detail: 'It was deleted.' })));
    show(<ComparisonFindings id="c1" onOpen={() => undefined} />);
    expect(await screen.findByRole('alert')).toHaveTextContent('It was deleted.');
  });
});
