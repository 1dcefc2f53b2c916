/** The page's answer: which service takes longer since when, and what explains it. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { lengthText } from '../../../engine/dashboard/dashboard-time';
import { spanOf } from '../../../engine/dashboard/time-grid';
import { deploymentName } from '../../../engine/dashboard/dashboard-wording';
import { PageHeader, countOf } from '../../../ui';
import type { DeploymentComparisonState } from './use-deployment-comparison';

type DashboardHeadlineProps = {
  board: Dashboard;
  onDeploy: (id: string) => void;
  compare: DeploymentComparisonState;
  mayWrite: boolean;
};

export function DashboardHeadline({ board, onDeploy, compare, mayWrite }: DashboardHeadlineProps) {
  const { headline } = board;
  if (!headline) return <PageHeader {...quiet(board)} />;
  const deploy = board.deploys.find(({ id }) => id === headline.deployment_id);
  const service = board.rows.find((row) => row.service.id === headline.service_id)?.service.name;
  return (
    <PageHeader
      title={<Sentence text={headline.sentence} service={service ?? ''} />}
      sub={headline.detail ?? undefined}
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

/** Nothing has changed: stated with what was checked. */
function quiet(board: Dashboard): { title: string; sub: string } {
  const { fromMs, toMs } = spanOf(board.grid);
  const measured = board.rows.filter(({ latency }) => latency.histogram !== 'none').length;
  // What a row measures is unknown until it has been loaded.
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

/** The server puts only increases on top. */
const MARKED = /(is [\d.,]+ times as high)/u;
const COMMIT = /\b([0-9a-f]{7,40})\b/u;

/** The sentence as the server says it; the service and commits in mono, what changed in its colour. */
function Sentence({ text, service }: { text: string; service: string }) {
  const begins = service !== '' && text.startsWith(`${service} `);
  const rest = begins ? text.slice(service.length) : text;
  return (
    <>
      {begins && <span className="mono">{service}</span>}
      {parted(rest, MARKED, (words) => <span className="more">{words}</span>).map((part, at) =>
        typeof part === 'string' ? (
          <span key={at}>
            {parted(part, COMMIT, (commit) =>
              /\d/u.test(commit) ? <span className="mono">{commit}</span> : commit,
            ).map((each, index) => (
              <span key={index}>{each}</span>
            ))}
          </span>
        ) : (
          <span key={at}>{part}</span>
        ),
      )}
    </>
  );
}

/** Text by turns between and within the matches of a pattern with one group. */
function parted(
  text: string,
  pattern: RegExp,
  within: (words: string) => ReactNode,
): (string | ReactNode)[] {
  return text.split(pattern).map((part, at) => (at % 2 === 1 ? within(part) : part));
}
