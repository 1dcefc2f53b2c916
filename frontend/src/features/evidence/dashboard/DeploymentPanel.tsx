/** The drawer of a deployment: its commits, its check, and links to compare its profiles. */
import { Button, Drawer } from '@mantine/core';
import { zoneText } from '../../../lib/times';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DashboardDeployment, Deploy } from '../../../api';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { clockText, dayText } from '../../../engine/dashboard/dashboard-time';
import { describeChangePoint, deploymentName } from '../../../engine/dashboard/dashboard-wording';
import { ErrorState, DetailsList, SkeletonRows, StateIcon } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import { DeploymentPeople } from '../../inventory/repositories';
import { ComparisonBlockers } from './ComparisonBlockers';
import classes from './dashboard.module.css';
import { previousDeployment } from './deployment-comparison';
import { deploymentQuery, deploymentsOfQuery } from './dashboard-queries';
import type { DeploymentComparisonState } from './use-deployment-comparison';

/** Links to other pages. */
export type DashboardLinks = {
  files: (words: string) => ReactNode;
  /** Returns a link to the choice of sides, with deployments on both sides. */
  sides: (base: string | null, candidate: string, words: string) => ReactNode;
  /** Returns a link to a production event. */
  event?: (event: { id: string }, words: string) => ReactNode;
};

type PanelProps = {
  /** '' = closed. */
  id: string;
  board: Dashboard;
  compare: DeploymentComparisonState;
  links: DashboardLinks;
  mayWrite: boolean;
  onClose: () => void;
  onNote: (open: string) => void;
};

export function DeploymentPanel({ id, board, onClose, ...rest }: PanelProps) {
  const shown = board.deploys.find((deploy) => deploy.id === id);
  // A link may name a deployment outside the time range that is shown.
  const asked = useQuery({ ...deploymentQuery(id), enabled: id !== '' && !shown });
  const deploy = shown ?? (asked.data ? ofTheApi(asked.data) : null);
  return (
    <Drawer
      opened={id !== ''}
      onClose={onClose}
      size={440}
      title={deploy ? <PanelTitle deploy={deploy} board={board} /> : 'Deployment'}
      closeButtonProps={{ 'aria-label': 'Close deployment' }}
      attributes={{ header: { role: 'presentation' } }}
    >
      {asked.error && <ErrorState what="Could not load the deployment" error={asked.error} />}
      {id !== '' && !deploy && !asked.error && <SkeletonRows rows={6} />}
      {deploy && <DeploymentDetails deploy={deploy} isOnBoard={!!shown} board={board} {...rest} />}
    </Drawer>
  );
}

function ofTheApi(deployment: Deploy): DashboardDeployment {
  return {
    ...deployment,
    at_ms: Date.parse(deployment.started_at),
    ended_ms: deployment.ended_at === null ? null : Date.parse(deployment.ended_at),
    verdict: null,
    check: null,
  };
}

function PanelTitle({ deploy, board }: { deploy: DashboardDeployment; board: Dashboard }) {
  const service = board.rows.find((row) => row.service.id === deploy.service_id)?.service.name;
  return (
    <>
      Deployment <span className="mono">{deploymentName(deploy)}</span> of {service ?? 'a service'}
    </>
  );
}

type EvaluationProps = Omit<PanelProps, 'id' | 'onClose'> & {
  deploy: DashboardDeployment;
  /** Whether the deployment is on the dashboard; only then is its check known. */
  isOnBoard: boolean;
};

function DeploymentDetails({
  deploy,
  isOnBoard,
  board,
  compare,
  links,
  mayWrite,
  onNote,
}: EvaluationProps) {
  return (
    <div className={classes.stack}>
      {isOnBoard ? (
        <Verdict deploy={deploy} board={board} />
      ) : (
        <p className="muted">Not in the time range of the dashboard.</p>
      )}
      {mayWrite && (
        <div className={classes.buttons}>
          <Button variant="filled" loading={compare.pending} onClick={() => compare.ask(deploy.id)}>
            Compare before and after
          </Button>
          <ChooseSides deploy={deploy} board={board} link={links.sides} />
          <Button onClick={() => onNote('new')}>Add annotation</Button>
        </div>
      )}
      {compare.deploy === deploy.id && (
        <ComparisonBlockers compare={compare} board={board} filesLink={links.files} />
      )}
      <Commits deploy={deploy} board={board} />
      <DeploymentPeople deploymentId={deploy.id} />
      <DetailsList
        facts={[
          [
            'Deployed',
            `${dayText(deploy.at_ms)} ${clockText(deploy.at_ms)} ${zoneText(deploy.at_ms)}`,
          ],
          ...(deploy.ended_ms === null
            ? []
            : [
                [
                  'Ran until',
                  `${dayText(deploy.ended_ms)} ${clockText(deploy.ended_ms)} ${zoneText(deploy.ended_ms)}`,
                ] as [string, ReactNode],
              ]),
          ...(deploy.label === null ? [] : [['Label', deploy.label] as [string, ReactNode]]),
          ...(webLink(deploy.url)
            ? [['Pipeline', <Out key="url" url={deploy.url} words="Open" />] as [string, ReactNode]]
            : []),
        ]}
      />
    </div>
  );
}

type ChooseProps = {
  deploy: DashboardDeployment;
  board: Dashboard;
  link: DashboardLinks['sides'];
};

/** A link to the choice of sides: this deployment as candidate, the previous one as base. */
function ChooseSides({ deploy, board, link }: ChooseProps) {
  const before = useDeploymentBefore(deploy, board);
  return link(before?.id ?? null, deploy.id, 'Choose sides');
}

/** Returns the deployment that ran before; null if there is none or it is not loaded. */
function useDeploymentBefore(deploy: DashboardDeployment, board: Dashboard): Deploy | null {
  const deploys = useQuery({
    ...deploymentsOfQuery(deploy.service_id, board.environment?.id ?? ''),
    enabled: board.environment !== null,
  });
  const items = deploys.data?.items ?? [];
  const own = items.find(({ id }) => id === deploy.id);
  return own ? previousDeployment(items, own) : null;
}

const VERDICTS = {
  slower: { glyph: 'more', word: 'slower' },
  'not-slower': { glyph: 'done', word: 'not slower' },
  inconclusive: { glyph: 'unsure', word: 'inconclusive' },
} as const;

/** Shows the check's result with its numbers, or else the change that the deployment explains. */
function Verdict({ deploy, board }: { deploy: DashboardDeployment; board: Dashboard }) {
  const change = board.changes.find(({ deployment_id }) => deployment_id === deploy.id);
  const verdict = deploy.verdict === null ? null : VERDICTS[deploy.verdict];
  return (
    <div className={classes.verdict}>
      {verdict ? (
        <StateIcon glyph={verdict.glyph}>{verdict.word}</StateIcon>
      ) : (
        <StateIcon glyph="unsure">Check pending</StateIcon>
      )}
      <p className="muted">
        {deploy.check?.sentence ?? (change ? describeChangePoint(change) : '')}
      </p>
    </div>
  );
}

function Commits({ deploy, board }: { deploy: DashboardDeployment; board: Dashboard }) {
  const { commits } = deploy;
  if (commits.length === 0) return <TwoCommits deploy={deploy} board={board} />;
  return (
    <section aria-labelledby="deploy-commits">
      <h3 id="deploy-commits" className={classes.head3}>
        Commits <span className="muted">{commits.length}</span>
      </h3>
      <ol className={classes.commits}>
        {commits.map(({ id, title, author, url }) => (
          <li key={id}>
            {webLink(url) ? (
              <Out url={url} words={<span className="mono">{shortCommit(id)}</span>} />
            ) : (
              <span className="mono">{shortCommit(id)}</span>
            )}
            <span className={classes.commitTitle}>{title ?? ''}</span>
            <span className="muted nowrap">{author ?? ''}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** For a deployment event without commits: shows the previous and the deployed commit. */
function TwoCommits({ deploy, board }: { deploy: DashboardDeployment; board: Dashboard }) {
  const before = useDeploymentBefore(deploy, board);
  return (
    <section aria-labelledby="deploy-commits">
      <h3 id="deploy-commits" className={classes.head3}>
        Commits
      </h3>
      <p>
        {before ? (
          <>
            From <span className="mono">{deploymentName(before)}</span> to{' '}
            <span className="mono">{deploymentName(deploy)}</span>.
          </>
        ) : (
          <span className="mono">{deploymentName(deploy)}</span>
        )}{' '}
        <span className="muted">
          The deployment event does not list its commits. Send them as &quot;commits&quot;.
        </span>
      </p>
    </section>
  );
}

/** URLs come from deployment events: only HTTP and HTTPS URLs become links. */
const webLink = (url: string | null | undefined): url is string =>
  typeof url === 'string' && /^https?:\/\//iu.test(url);

function Out({ url, words }: { url: string; words: ReactNode }) {
  return (
    <a className="link" href={url} target="_blank" rel="noreferrer noopener">
      {words}
    </a>
  );
}
