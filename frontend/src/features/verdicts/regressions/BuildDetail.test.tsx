import type { ReactNode } from 'react';
import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Build, Judgement } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { BUILD, aBuild, aRegressionDetail } from '../../../testing/regression-fixtures';
import { show } from '../../../testing/render';
import BuildDetail from './BuildDetail';

const aVerdict = (changed: Partial<Judgement> = {}): Judgement => ({
  build_id: BUILD,
  state: 'passed',
  sentence: 'Nothing changed beyond the noise of 12 earlier builds.',
  required_evidence: null,
  regression_ids: [],
  evaluated_at: '2026-11-20T14:10:00Z',
  is_announced: false,
  kinds: [],
  comparison: null,
  ...changed,
});

const linkTo = (id: string, words: ReactNode) => <a href={`#${id}`}>{words}</a>;

function showBuild(build: Partial<Build> = {}, verdict: Partial<Judgement> = {}) {
  server.use(http.get(at('/builds/:id/verdict'), () => HttpResponse.json(aVerdict(verdict))));
  return show(
    <BuildDetail
      build={aBuild(build)}
      service="shop"
      back={null}
      links={{ regression: linkTo, build: linkTo, comparison: linkTo, commit: (_, words) => words }}
      files={<p>two files</p>}
    />,
  );
}

/** Returns the value beside a term in the list of metadata. */
const valueOf = (term: string) => screen.getByText(term, { selector: 'dt' }).nextElementSibling;

describe('verdict in BuildDetail', () => {
  it.each([
    ['pending', 'waiting'],
    ['evaluating', 'being evaluated'],
    ['passed', 'passed'],
    ['changed', 'changed'],
    ['inconclusive', 'inconclusive'],
    ['skipped', 'not evaluated'],
  ] as const)('in state %s is shown as "%s"', async (state, words) => {
    showBuild({}, { state });
    expect(await screen.findByText(words)).toBeInTheDocument();
    expect(screen.getByText(/^Nothing changed beyond/)).toBeInTheDocument();
  });

  it('shows the evidence that a conclusive result needs', async () => {
    showBuild(
      {},
      { state: 'inconclusive', required_evidence: { profiles: 3, builds: 1 }, evaluated_at: null },
    );
    expect(
      await screen.findByText(
        'needs 3 more profiles of this build or 1 more build for a conclusive result',
      ),
    ).toBeInTheDocument();
  });

  it('links the comparison and the base build, and shows the verdict on each kind', async () => {
    showBuild(
      {},
      {
        state: 'changed',
        sentence: 'Regressed against the merge base 0123456: 32% more CPU per request.',
        is_announced: true,
        kinds: [{ kind: 'cpu', verdict: 'regressed', is_announced: true }],
        comparison: {
          state: 'changed',
          direction: 'worse',
          base: { build_id: 'b0', commit: '0123456789abcdef' },
          is_merge_base: true,
          comparison_id: 'c1',
          bound: null,
          profiles_needed: null,
          kinds_left_out: ['profile.heap'],
        },
      },
    );
    expect(await screen.findByRole('link', { name: 'Open the comparison' })).toHaveAttribute(
      'href',
      '#c1',
    );
    expect(screen.getByRole('link', { name: '0123456789' })).toHaveAttribute('href', '#b0');
    expect(screen.getByText('cpu: regressed')).toBeInTheDocument();
    expect(screen.getByText('not compared: profile.heap')).toBeInTheDocument();
  });

  it('has no link when there is no earlier build', async () => {
    showBuild(
      {},
      {
        state: 'skipped',
        comparison: {
          state: 'first-build',
          direction: null,
          base: null,
          is_merge_base: false,
          comparison_id: null,
          bound: null,
          profiles_needed: null,
          kinds_left_out: [],
        },
      },
    );
    await screen.findByText('not evaluated');
    expect(screen.queryByRole('link')).not.toBeInTheDocument();
  });

  it('links its regressions by number, or as "the regression" without access', async () => {
    server.use(
      http.get(at('/regressions/r1'), () =>
        HttpResponse.json(aRegressionDetail({ id: 'r1', number: 17 })),
      ),
      http.get(at('/regressions/r2'), () => problem(404, { detail: 'Not found.' })),
    );
    showBuild({}, { state: 'changed', regression_ids: ['r1', 'r2'] });
    expect(await screen.findByRole('link', { name: 'regression 17' })).toHaveAttribute(
      'href',
      '#r1',
    );
    expect(screen.getByRole('link', { name: 'the regression' })).toHaveAttribute('href', '#r2');
  });

  it('is replaced by the reason when it is missing, and the build is still shown', async () => {
    showBuild({ display_name: 'nightly' });
    server.use(
      http.get(at('/builds/:id/verdict'), () =>
        problem(404, { detail: 'This build has no profiles yet.' }),
      ),
    );
    expect(await screen.findByText('This build has no profiles yet.')).toBeInTheDocument();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(
      'Build 5f3c1e8000 · nightly',
    );
    expect(screen.getByText('two files')).toBeInTheDocument();
    expect(document.title).toBe('Build 5f3c1e8000 · Slowpath');
  });
});

describe('metadata in BuildDetail', () => {
  it('has rows only for known values', async () => {
    showBuild({
      author: 'Jun',
      branch: null,
      parent: 'e'.repeat(40),
      flags: '-race',
      goos: 'linux',
      goarch: '',
    });
    await screen.findByText('passed');
    expect(valueOf('service')).toHaveTextContent('shop');
    expect(valueOf('commit')).toHaveTextContent('5f3c1e8'.padEnd(40, '0'));
    expect(valueOf('author')).toHaveTextContent('Jun');
    expect(valueOf('after')).toHaveTextContent(/^e{10}$/);
    expect(valueOf('flags')).toHaveTextContent('-race');
    expect(valueOf('platform')).toHaveTextContent(/^linux$/);
    expect(screen.queryByText('branch')).not.toBeInTheDocument();
    expect(screen.queryByText('CI')).not.toBeInTheDocument();
    expect(screen.queryByText('pull request')).not.toBeInTheDocument();
  });

  it('links the pull request to its web address', async () => {
    showBuild({ pull_request: { number: 12, url: 'https://code.example/pull/12' } });
    const link = await screen.findByRole('link', { name: '#12' });
    expect(link).toHaveAttribute('href', 'https://code.example/pull/12');
    expect(link).toHaveAttribute('rel', expect.stringContaining('noopener'));
  });

  it('shows a pull request with a script URL as text without a link', async () => {
    showBuild({ pull_request: { number: 12, url: 'javascript:alert(1)' } });
    await screen.findByText('passed');
    expect(valueOf('pull request')).toHaveTextContent('#12');
    expect(screen.queryByRole('link')).not.toBeInTheDocument();
  });
});
