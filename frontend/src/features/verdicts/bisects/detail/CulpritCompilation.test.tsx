import { screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import type { Bisect } from '../../../../api';
import { aBisect } from '../../../../testing/bisect-fixtures';
import { show } from '../../../../testing/render';
import { CulpritCompilation } from './CulpritCompilation';
import { makeBisectReportText } from './bisect-report-text';

const linked = (id: string, words: ReactNode) => <a href={`/comparisons/${id}`}>{words}</a>;

const of = (count: number): Bisect['compiler'] => ({
  state: 'done',
  problem: '',
  comparison_id: null,
  missing: '',
  reasons: Array.from({ length: count }, (_, index) => ({
    function: `main.f${index}`,
    sentence: `main.f${index} is no longer inlined: cost 117 exceeds budget 80.`,
    file: 'main.go',
    line: index + 1,
  })),
});

test('CulpritCompilation shows ten compiler decisions, and the others on request', async () => {
  const { user } = show(<CulpritCompilation compiler={of(12)} comparisonLink={linked} />);
  expect(screen.getAllByRole('listitem')).toHaveLength(10);
  await user.click(screen.getByRole('button', { name: 'Show 2 further decisions' }));
  expect(screen.getAllByRole('listitem')).toHaveLength(12);
});

test('CulpritCompilation shows the error of a failed build and links the comparison of both builds', () => {
  show(
    <CulpritCompilation
      compiler={{
        state: 'failed',
        reasons: [],
        problem: 'go build failed: undefined: x',
        comparison_id: 'c1',
        missing: 'No executables of both builds are stored.',
      }}
      comparisonLink={linked}
    />,
  );
  expect(screen.getByRole('alert')).toHaveTextContent('go build failed: undefined: x');
  expect(screen.getByRole('link', { name: /^Comparison of both builds/ })).toHaveAttribute(
    'href',
    '/comparisons/c1',
  );
  expect(screen.getByText('No executables of both builds are stored.')).toBeVisible();
});

test('makeBisectReportText lists compiler decisions and counts the further ones', () => {
  const text = makeBisectReportText({ ...aBisect(), compiler: of(11) });
  expect(text).toContain('- main.f0 is no longer inlined: cost 117 exceeds budget 80.');
  expect(text).toContain('- and 1 further decision');
});
