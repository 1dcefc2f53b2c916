import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { readDashboard } from '../../../engine/dashboard/dashboard-file';
import { aDashboard, type DrawnDashboard } from '../../../testing/dashboard-fixtures';
import { setTimeZone } from '../../../lib/times';
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

describe('DashboardHeadline', () => {
  it('shows the increase in color, and service and commit in monospace', () => {
    shown();
    expect(screen.getByText('is 3.10 times as high')).toHaveClass('more');
    expect(screen.getByText('distributor')).toHaveClass('mono');
    expect(screen.getByText('5f3c1e8d00')).toHaveClass('mono');
    expect(screen.getByRole('heading')).toHaveTextContent(
      'distributor p99 is 3.10 times as high since 14:02 UTC; caused by deployment 5f3c1e8d00, not by load',
    );
  });

  it('uses the time zone of the user, and shows the day if the range ends on another', () => {
    setTimeZone('Asia/Tokyo');
    const [change] = readDashboard(aDashboard()).changes;
    shown({ header: { changes: [{ ...change!, at_ms: change!.at_ms - 86_400_000 }] } });
    expect(screen.getByRole('heading')).toHaveTextContent('since Tue 17 Nov 23:02 GMT+9; caused');
    setTimeZone(null);
  });

  it('shows no buttons without a deployment, and the interval as a tooltip', () => {
    const [change] = readDashboard(aDashboard()).changes;
    const unexplained = { ...change!, cause: 'unexplained' as const, deployment_id: null };
    shown({ header: { changes: [unexplained] } });
    expect(screen.getByRole('heading')).toHaveTextContent(
      'not explained by a deployment or by load',
    );
    expect(screen.getByTitle(/^2\.79 – 3\.41 times, 95% interval$/)).toHaveTextContent(
      'significant',
    );
    expect(screen.queryByRole('button', { name: /Compare|Commits/ })).not.toBeInTheDocument();
  });

  it('opens the deployment with Commits, and offers viewers no comparison', async () => {
    const { user, onDeploy } = shown({}, false);
    expect(screen.queryByRole('button', { name: /^Compare/ })).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Commits of 5f3c1e8d00' }));
    expect(onDeploy).toHaveBeenCalledExactlyOnceWith('00000000-0000-4000-8000-000000000701');
  });
});

describe('DashboardHeadline without an increase', () => {
  const quiet = (header: object, drawn: DrawnDashboard = {}) =>
    shown({ ...drawn, header: { headline: null, ...header } });

  it('shows the number of services, the environment and the time range', () => {
    quiet({ changes: [] });
    expect(screen.getByRole('heading')).toHaveTextContent('No latency change points');
    expect(screen.getByText('5 services with latency in production, 4 h')).toBeInTheDocument();
  });

  it('mentions a marked change point that is no increase', () => {
    const [change] = readDashboard(aDashboard()).changes;
    quiet({ changes: [{ ...change!, ratio: 0.4, after: change!.before * 0.4 }] });
    expect(screen.getByRole('heading')).toHaveTextContent(
      '1 change point is marked, no lasting latency increase at a deployment',
    );
  });

  it('does not count services with latency while rows are not loaded', () => {
    quiet({ changes: [] }, { services: 12, shown: [0, 1, 2] });
    expect(screen.getByText('12 services in production, 4 h')).toBeInTheDocument();
  });
});
