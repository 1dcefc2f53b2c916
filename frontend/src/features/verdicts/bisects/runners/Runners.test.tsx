import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Runner } from '../../../../api';
import { aBisect, aBisectRow } from '../../../../testing/bisect-fixtures';
import { at, page, problem, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import Bisects from '../Bisects';
import { PrunedCommits } from '../detail/PrunedCommits';
import { RunnerHelp } from './RunnerHelp';
import Runners from './Runners';

const TEAM_ID = '00000000-0000-4000-8000-000000000001';

const aRunner = (changed: Partial<Runner> = {}): Runner => ({
  id: 'n1',
  name: 'prod-canary-1',
  slots: 2,
  labels: {},
  version: '',
  variants: [],
  can_compile: false,
  host: 'prod-canary-1',
  seen_at: '2026-11-20T14:02:00Z',
  left_at: null,
  alive: true,
  running: 0,
  ...changed,
});

const serve = (...runners: Runner[]) =>
  server.use(http.get(at('/runners'), () => HttpResponse.json(runners)));

const showRunners = (mayManage = true) => show(<Runners team={{ id: TEAM_ID, mayManage }} />);
const command = () => screen.findByLabelText(/^Start a runner where the service/);
const row = (name: string) => screen.findByRole('listitem', { name });

describe('Runners', () => {
  it('shows the state, slots, host, version and labels of each runner', async () => {
    serve(
      aRunner({ running: 1, host: 'node-7', version: '1.4', labels: { zone: 'eu', size: 'l' } }),
      aRunner({ id: 'n2', name: 'idle', slots: 1, host: 'idle' }),
      aRunner({ id: 'n3', name: 'ended', alive: false, left_at: '2026-11-20T15:00:00Z' }),
      aRunner({ id: 'n4', name: 'gone', alive: false }),
    );
    showRunners();
    expect(await row('prod-canary-1')).toHaveTextContent(
      /busyprod-canary-11 of 2 slots taken.*on node-7version 1\.4.*zone=eu · size=l/,
    );
    expect(await row('idle')).toHaveTextContent(/onlineidle0 of 1 slot taken/);
    expect(await row('idle')).not.toHaveTextContent('on idle');
    expect(await row('ended')).toHaveTextContent(/^ended/);
    expect(await row('gone')).toHaveTextContent(/^offline/);
  });

  it('deletes a runner after a confirmation', async () => {
    let there = [aRunner()];
    const removed: unknown[] = [];
    server.use(
      http.get(at('/runners'), () => HttpResponse.json(there)),
      http.delete(at('/runners/:name'), ({ params }) => {
        removed.push(params.name);
        there = [];
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = showRunners();
    await user.click(await screen.findByRole('button', { name: 'Remove prod-canary-1' }));
    const question = await screen.findByRole('dialog', { name: 'Delete prod-canary-1?' });
    expect(question).toHaveTextContent('A runner that is still online reappears');
    expect(removed).toEqual([]);
    await user.click(within(question).getByRole('button', { name: 'Delete runner' }));
    expect(await screen.findByText(/^No runners yet/)).toBeInTheDocument();
    expect(removed).toEqual(['prod-canary-1']);
  });

  it('hides the removal and token buttons from members who do not manage the team', async () => {
    serve(aRunner());
    showRunners(false);
    await row('prod-canary-1');
    expect(screen.queryByRole('button', { name: /^Remove/ })).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Create a token' })).not.toBeInTheDocument();
    expect(screen.getByText(/An admin can create one under Settings/)).toBeInTheDocument();
  });

  it('shows the error when the runners cannot be loaded', async () => {
    server.use(http.get(at('/runners'), () => problem(403, { detail: 'Not readable.' })));
    showRunners();
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not load the runners · Not readable.',
    );
  });
});

describe('command that starts a runner', () => {
  it('contains a placeholder until a token is created, and then the token', async () => {
    serve();
    const sent: unknown[] = [];
    server.use(
      http.post(at('/teams/:team/tokens'), async ({ request, params }) => {
        sent.push([params.team, await request.json()]);
        return HttpResponse.json({ id: 't1', name: 'runner', secret: 'slp_s3' }, { status: 201 });
      }),
    );
    const { user } = showRunners();
    expect(((await command()) as HTMLTextAreaElement).value).toContain('SLOWPATH_TOKEN=$TOKEN ');
    await user.click(screen.getByRole('button', { name: 'Create a token' }));
    await waitFor(async () =>
      expect(((await command()) as HTMLTextAreaElement).value).toContain('SLOWPATH_TOKEN=slp_s3 '),
    );
    expect(screen.getByText(/^The token is shown once/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Create a token' })).not.toBeInTheDocument();
    expect(sent).toMatchObject([[TEAM_ID, { scopes: ['runner'] }]]);
  });

  it('keeps the placeholder and shows the error when the token cannot be created', async () => {
    serve();
    server.use(
      http.post(at('/teams/:team/tokens'), () => problem(409, { detail: 'At most 100 tokens.' })),
    );
    const { user } = showRunners();
    await user.click(await screen.findByRole('button', { name: 'Create a token' }));
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not create a token · At most 100 tokens.',
    );
    expect(((await command()) as HTMLTextAreaElement).value).toContain('$TOKEN');
  });
});

describe('RunnerHelp', () => {
  const wanted = { runner_labels: { zone: 'eu' } };

  it('names the label that no runner has', async () => {
    serve(aRunner());
    show(
      <RunnerHelp bisect={aBisect({ settings: wanted })} team={{ id: TEAM_ID, mayManage: true }} />,
    );
    expect(
      await screen.findByRole('heading', { name: /^No runner with zone=eu is available/ }),
    ).toBeInTheDocument();
  });

  it('shows nothing and requests no runners once the bisect has ended', async () => {
    let asked = 0;
    server.use(
      http.get(at('/runners'), () => {
        asked += 1;
        return HttpResponse.json([]);
      }),
    );
    const { container } = show(
      <RunnerHelp bisect={aBisect({ state: 'found' })} team={{ id: TEAM_ID, mayManage: true }} />,
    );
    await Promise.resolve();
    expect(within(container).queryByRole('heading')).not.toBeInTheDocument();
    expect(asked).toBe(0);
  });
});

describe('Bisects', () => {
  const showList = (onOpen: (id: string) => void = () => undefined) =>
    show(
      <Bisects
        search={{}}
        onSearch={() => undefined}
        services={[]}
        start={<button type="button">Start bisect</button>}
        link={(id, words) => <a href={`#${id}`}>{words}</a>}
        onOpen={onOpen}
        regressions={(words) => <a href="#regressions">{words}</a>}
      />,
    );

  it('shows the expected deployments only of active bisects, and opens a row with Enter', async () => {
    server.use(
      http.get(at('/bisects'), () =>
        page([
          aBisectRow({ expected_deployments: 6.4 }),
          aBisectRow({
            id: 'b2',
            title: 'Done',
            state: 'not-separable',
            culprit: null,
            levels: 1,
            deployments: 12,
          }),
        ]),
      ),
    );
    const opened: string[] = [];
    const { user } = showList((id) => opened.push(id));
    const [, first, second] = within(
      await screen.findByRole('table', { name: 'Bisects' }),
    ).getAllByRole('row');
    expect(first).toHaveTextContent(/searching4be1d07000 likely2 of about 62 levels/);
    expect(second).toHaveTextContent(/not distinguishable–121 level/);
    second!.focus();
    await user.keyboard('{Enter}');
    expect(opened).toEqual(['b2']);
  });

  it('shows the error of a failed load, tries again, and loads older bisects on request', async () => {
    server.use(
      http.get(at('/bisects'), ({ request }) =>
        new URL(request.url).searchParams.has('cursor')
          ? HttpResponse.json({
              items: [aBisectRow({ id: 'b2', title: 'Older' })],
              next_cursor: null,
            })
          : HttpResponse.json({ items: [aBisectRow()], next_cursor: 'older' }),
      ),
    );
    server.use(
      http.get(at('/bisects'), () => problem(403, { detail: 'You left the team.' }), {
        once: true,
      }),
    );
    const { user } = showList();
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not load the bisects · You left the team.');
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    await user.click(await screen.findByRole('button', { name: 'Load older bisects' }));
    expect(await screen.findByRole('link', { name: 'Older' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Load older bisects' })).not.toBeInTheDocument();
  });
});

describe('PrunedCommits', () => {
  it('counts the excluded commits by reason and the remaining candidates by level', () => {
    show(<PrunedCommits levels={aBisect().levels} />);
    const [, group, remaining] = screen.getAllByRole('row');
    expect(group).toHaveTextContent('monorepo183no input of the binary');
    expect(remaining).toHaveTextContent('Remaining candidates42 + 2');
  });
});
