/** The headline: which service's latency increased, since when, and what explains it. */
import { Button } from '@mantine/core';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { lengthText } from '../../../engine/dashboard/dashboard-time';
import { spanOf } from '../../../engine/dashboard/time-grid';
import { deploymentName } from '../../../engine/dashboard/dashboard-wording';
import { formatFactor, formatRatioRange, formatValue } from '../../../engine/format/format';
import { clockText, dayNumber, momentText, zoneText } from '../../../lib/times';
import { PageHeader, countOf } from '../../../ui';
import { Term } from '../../../ui/Terms';
import type { DeploymentComparisonState } from './use-deployment-comparison';

type DashboardHeadlineProps = {
  board: Dashboard;
  onDeploy: (id: string) => void;
  compare: DeploymentComparisonState;
  mayWrite: boolean;
};

export function DashboardHeadline({ board, onDeploy, compare, mayWrite }: DashboardHeadlineProps) {
  const change = board.changes.find(({ id }) => id === board.headline?.change_id);
  if (!change) return <PageHeader {...quiet(board)} />;
  const deploy = board.deploys.find(({ id }) => id === change.deployment_id);
  return (
    <PageHeader
      title={<Increase change={change} board={board} />}
      sub={<Levels {...change} />}
      actions={
        deploy && (
          <>
            <Button onClick={() => onDeploy(deploy.id)}>Commits of {deploymentName(deploy)}</Button>
            {mayWrite && (
              <Button
                variant="filled"
                loading={compare.pending}
                onClick={() => compare.ask(deploy.id)}
              >
                Compare before and after
              </Button>
            )}
          </>
        )
      }
    />
  );
}

/** Returns the headline for a dashboard without a lasting increase, and what was checked. */
function quiet(board: Dashboard): { title: string; sub: string } {
  const { fromMs, toMs } = spanOf(board.grid);
  const measured = board.rows.filter(({ latency }) => latency.histogram !== 'none').length;
  // Whether a row has latency is unknown until it is loaded.
  const services = board.rows.every(({ loaded }) => loaded)
    ? `${countOf(measured, 'service')} with latency`
    : countOf(board.rows.length, 'service');
  return {
    title: board.changes.length > 0 ? describeChangePoints(board) : 'No latency change points',
    sub: `${services} in ${board.environment?.name ?? 'this environment'}, ${lengthText(toMs - fromMs)}`,
  };
}

const describeChangePoints = (board: Dashboard): string =>
  `${countOf(board.changes.length, 'change point')} ${board.changes.length === 1 ? 'is' : 'are'} marked, no lasting latency increase at a deployment`;

type IncreaseProps = { change: Dashboard['changes'][number]; board: Dashboard };

/** Shows which latency increased, since when, and why; the time is in the user's time zone. */
function Increase({ change, board }: IncreaseProps) {
  const { service_id, signal, ratio, at_ms, cause } = change;
  const service = board.rows.find((row) => row.service.id === service_id)?.service.name;
  const deploy = board.deploys.find(({ id }) => id === change.deployment_id);
  return (
    <>
      <span className="mono">{service}</span> {signal}{' '}
      <span className="more">is {formatFactor(ratio)} times as high</span> since{' '}
      {sinceText(at_ms, spanOf(board.grid).toMs)};{' '}
      {cause === 'deployment' ? (
        <>
          caused by{' '}
          {deploy ? (
            <>
              deployment <span className="mono">{deploymentName(deploy)}</span>
            </>
          ) : (
            'a deleted deployment'
          )}
          , not by load
        </>
      ) : (
        'not explained by a deployment or by load'
      )}
    </>
  );
}

/** Formats a time and its zone, with the day if the range ends on another day. */
const sinceText = (at: number, until: number): string =>
  `${dayNumber(at) === dayNumber(until) ? clockText(at) : momentText(at)} ${zoneText(at)}`;

function Levels({ before, after, ratio_low, ratio_high }: IncreaseProps['change']) {
  const interval = `${formatRatioRange(ratio_low, ratio_high)} times, 95% interval`;
  return (
    <>
      {formatValue(before, 's')} before, {formatValue(after, 's')} after;{' '}
      <Term name="confidence interval" detail={interval}>
        significant
      </Term>
    </>
  );
}
