import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { DashboardDeployment, Deploy } from '../../../api';
import { readDashboard } from '../../../engine/dashboard/dashboard-file';
import {
  DEPLOY_ID,
  ENVIRONMENT,
  OTHER_DEPLOY_ID,
  aDashboard,
  serviceId,
} from '../../../testing/dashboard-fixtures';
import { at, page, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { DeploymentPanel } from './DeploymentPanel';
import { useDeploymentComparison } from './use-deployment-comparison';

const aDeploy = (changed: Partial<Deploy> = {}): Deploy => ({
  id: 'outside',
  service_id: serviceId(1),
  environment_id: ENVIRONMENT.id,
  build_id: null,
  commit: 'abcdef0123456789',
  label: null,
  started_at: '2026-11-02T09:05:00Z',
  ended_at: null,
  source: 'api',
  url: null,
  commits: [],
  created_at: '2026-11-02T09:05:00Z',
  ...changed,
});

type PanelProps = Parameters<typeof DeploymentPanel>[0];

/** The drawer with the comparison state that the page passes to it. */
function Panel(props: Omit<PanelProps, 'compare'>) {
  return <DeploymentPanel {...props} compare={useDeploymentComparison(vi.fn())} />;
}

async function shown(
  id: string,
  changed: Partial<DashboardDeployment> = {},
  rest: Partial<PanelProps> = {},
) {
  const drawn = readDashboard(aDashboard());
  const board = {
    ...drawn,
    deploys: drawn.deploys.map((deploy) => (deploy.id === id ? { ...deploy, ...changed } : deploy)),
  };
  const { user } = show(
    <Panel
      id={id}
      board={board}
      links={{
        files: (words) => <a href="/artifacts">{words}</a>,
        sides: (_, candidate, words) => <a href={`/compare/${candidate}`}>{words}</a>,
      }}
      mayWrite
      onClose={vi.fn()}
      onNote={vi.fn()}
      {...rest}
    />,
  );
  return { user, panel: await screen.findByRole('dialog') };
}

describe('DeploymentPanel verdict', () => {
  it.each([
    ['slower', 'slower'],
    ['not-slower', 'not slower'],
    ['inconclusive', 'inconclusive'],
    [null, 'Check pending'],
  ] as const)('is shown in words: %s', async (verdict, words) => {
    const { panel } = await shown(DEPLOY_ID, { verdict, check: null });
    expect(within(panel).getByText(words)).toBeInTheDocument();
  });

  it('falls back to the change point that the deployment explains', async () => {
    const { panel } = await shown(DEPLOY_ID, { verdict: null, check: null });
    expect(panel).toHaveTextContent('p99 26 ms became 80.6 ms');
  });

  it('is not pending for a deployment outside of the time range', async () => {
    server.use(
      http.get(at('/deployments/outside'), () => HttpResponse.json(aDeploy())),
      http.get(at('/deployments'), () => page([])),
    );
    const { panel } = await shown('outside');
    expect(await within(panel).findByText(/^Not in the time range/)).toBeInTheDocument();
    expect(panel).not.toHaveTextContent('Check pending');
    expect(panel).toHaveTextContent('DeployedMon 2 Nov 09:05 UTC');
  });
});

describe('DeploymentPanel details', () => {
  it('show end, label, link to the pipeline and number of commits', async () => {
    const { panel } = await shown(DEPLOY_ID, {
      ended_ms: Date.UTC(2026, 10, 18, 15, 30),
      label: 'canary',
    });
    expect(panel).toHaveTextContent('Ran untilWed 18 Nov 15:30 UTC');
    expect(panel).toHaveTextContent('Labelcanary');
    expect(within(panel).getByRole('link', { name: 'Open' })).toHaveAttribute(
      'href',
      'https://ci.example/deploys/412',
    );
    expect(within(panel).getByRole('heading', { name: 'Commits 2' })).toBeInTheDocument();
  });

  it('show the label of the previous deployment if it has no commit', async () => {
    server.use(
      http.get(at('/deployments'), () =>
        page([
          aDeploy({ id: OTHER_DEPLOY_ID, build_id: 'b2', started_at: '2026-11-18T12:41:00Z' }),
          aDeploy({ id: 'before', build_id: 'b1', commit: '', label: 'blue' }),
        ]),
      ),
    );
    const { panel } = await shown(OTHER_DEPLOY_ID);
    expect(await within(panel).findByText('blue')).toBeInTheDocument();
    expect(panel).toHaveTextContent('From blue to a9e11b4c00.');
  });

  it('mention a previous deployment without commit and label', async () => {
    server.use(
      http.get(at('/deployments'), () =>
        page([
          aDeploy({ id: OTHER_DEPLOY_ID, build_id: 'b2', started_at: '2026-11-18T12:41:00Z' }),
          aDeploy({ id: 'before', build_id: 'b1', commit: '' }),
        ]),
      ),
    );
    const { panel } = await shown(OTHER_DEPLOY_ID);
    expect(await within(panel).findByText('deployment')).toBeInTheDocument();
    expect(panel).toHaveTextContent('From deployment to a9e11b4c00.');
  });

  it('are replaced by the reason if they cannot be loaded', async () => {
    server.use(
      http.get(at('/deployments/gone'), () =>
        problem(404, { title: 'Not found', detail: 'There is no such deployment.' }),
      ),
    );
    const { panel } = await shown('gone');
    expect(await within(panel).findByRole('alert')).toHaveTextContent(
      'There is no such deployment.',
    );
  });

  it('offer viewers neither a comparison nor an annotation', async () => {
    const { panel } = await shown(DEPLOY_ID, {}, { mayWrite: false });
    expect(
      within(panel).queryByRole('button', { name: /Compare|annotation/ }),
    ).not.toBeInTheDocument();
  });
});

describe('DeploymentPanel comparison', () => {
  const own = aDeploy({ id: DEPLOY_ID, started_at: '2026-11-18T14:02:00Z' });
  const before = aDeploy({ id: 'before', commit: '71aa09b3000' });
  const serve = () =>
    server.use(
      http.get(at('/deployments/:id'), () => HttpResponse.json(own)),
      http.get(at('/deployments'), () => page([own, before])),
    );

  it('shows an error that names the profiles if these cannot be compared', async () => {
    server.use(
      http.get(at('/deployments/:id'), () =>
        problem(404, { title: 'Not found', detail: 'There is no such deployment.' }),
      ),
    );
    const { user, panel } = await shown(DEPLOY_ID);
    await user.click(within(panel).getByRole('button', { name: 'Compare before and after' }));
    expect(await within(panel).findByRole('alert')).toHaveTextContent(
      'Could not compare the profiles',
    );
  });

  it('shows an error that names the latency if that cannot be compared', async () => {
    serve();
    server.use(
      http.post(at('/comparisons'), () =>
        problem(422, { title: 'Invalid', detail: 'No samples in the range.' }),
      ),
    );
    const { user, panel } = await shown(DEPLOY_ID);
    await user.click(within(panel).getByRole('button', { name: 'Compare before and after' }));
    expect(await within(panel).findByText(/^Nothing to compare yet/)).toBeInTheDocument();
    await user.click(
      within(panel).getByRole('button', { name: 'Compare latency before and after' }),
    );
    const alert = await within(panel).findByRole('alert');
    expect(alert).toHaveTextContent('Could not compare the latency');
    expect(alert).toHaveTextContent('No samples in the range.');
  });
});
