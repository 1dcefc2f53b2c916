import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { readDashboard } from '../../../engine/dashboard/dashboard-file';
import { aDashboard, type DrawnDashboard } from '../../../testing/dashboard-fixtures';
import { show } from '../../../testing/render';
import { DashboardHeadline } from './DashboardHeadline';

const COMPARE = {
  deploy: null,
  pending: false,
  error: null,
  failed: '',
  missing: null,
  ask: vi.fn(),
  latency: vi.fn(),
};

function shown(drawn: DrawnDashboard = {}, mayWrite = true) {
  const onDeploy = vi.fn();
  const board = readDashboard(aDashboard(drawn));
  const { user } = show(
    <DashboardHeadline board={board} onDeploy={onDeploy} compare={COMPARE} mayWrite={mayWrite} />,
  );
  return { user, onDeploy };
}

const sentence = (text: string) => ({
  header: {
    headline: {
      service_id: '00000000-0000-4000-8000-000000005001',
      sentence: text,
      detail: null,
      deployment_id: null,
      change_id: 'x',
    },
  },
});

describe('the headline', () => {
  it('has the increase in its colour, and service and commit in the letters of code', () => {
    shown();
    expect(screen.getByText('is 3.1 times as high')).toHaveClass('more');
    expect(screen.getByText('distributor')).toHaveClass('mono');
    expect(screen.getByText('5f3c1e8')).toHaveClass('mono');
    expect(screen.getByRole('heading')).toHaveTextContent(
      'distributor p99 is 3.1 times as high since 14:02; caused by deployment 5f3c1e8, not by load',
    );
  });

  it('does not take a word of letters for a commit, and has no button without a deployment', () => {
    shown(sentence('defaced p99 is 1.4 times as high since 14:02; not explained by effaced'));
    expect(screen.queryByText('effaced', { selector: '.mono' })).not.toBeInTheDocument();
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });

  it('opens the deployment; viewers are offered no comparison', async () => {
    const { user, onDeploy } = shown({}, false);
    expect(screen.queryByRole('button', { name: /^Compare/ })).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Commits of 5f3c1e8' }));
    expect(onDeploy).toHaveBeenCalledExactlyOnceWith('00000000-0000-4000-8000-000000000701');
  });
});

describe('the headline without an increase', () => {
  const quiet = (header: object, drawn: DrawnDashboard = {}) =>
    shown({ ...drawn, header: { headline: null, ...header } });

  it('says what was looked at', () => {
    quiet({ changes: [] });
    expect(screen.getByRole('heading')).toHaveTextContent('No latency change points');
    expect(screen.getByText('5 services with latency in production, 4 h')).toBeInTheDocument();
  });

  it('does not deny a decrease at a deployment that is marked', () => {
    const [change] = readDashboard(aDashboard()).changes;
    quiet({ changes: [{ ...change!, ratio: 0.4, after: change!.before * 0.4 }] });
    expect(screen.getByRole('heading')).toHaveTextContent(
      '1 change point is marked, no lasting latency increase at a deployment',
    );
  });

  it('counts no rows as measured that were not loaded yet', () => {
    quiet({ changes: [] }, { services: 12, shown: [0, 1, 2] });
    expect(screen.getByText('12 services in production, 4 h')).toBeInTheDocument();
  });
});
