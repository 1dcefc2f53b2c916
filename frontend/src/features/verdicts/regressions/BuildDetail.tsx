/** The page of one build: its metadata, its verdict, and the regressions that began with it. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Build, Judgement } from '../../../api';
import { DetailsList, PageHeader, Section, Timestamp, describeError, useTitle } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import { BuildVerdictWord } from './BuildVerdictWord';
import { buildVerdictQuery, regressionQuery } from './regression-queries';
import classes from './regressions.module.css';
import { requiredEvidenceText, numberText } from './regression-wording';

export type BuildDetailProps = {
  build: Build;
  service: ReactNode;
  back: ReactNode;
  /** Further actions. */
  action?: ReactNode;
  links: Record<
    'regression' | 'build' | 'comparison' | 'commit',
    (id: string, words: ReactNode) => ReactNode
  >;
  /** The files of the build, rendered by another feature. */
  files: ReactNode;
};

export default function BuildDetail({
  build,
  service,
  back,
  links,
  action,
  files,
}: BuildDetailProps) {
  useTitle(`Build ${shortCommit(build.commit)}`);
  return (
    <>
      <PageHeader
        above={back}
        title={
          <>
            Build <span className="mono">{shortCommit(build.commit)}</span>
            {build.display_name && ` · ${build.display_name}`}
          </>
        }
        sub={build.title ?? undefined}
        actions={action}
      />
      <Section title="Verdict" aside="compared with earlier builds">
        <BuildVerdict build={build} links={links} />
      </Section>
      <Section title="Run metadata">
        <DetailsList facts={known(build, service, links.commit)} />
      </Section>
      <Section title="Files">{files}</Section>
    </>
  );
}

/** Returns the rows of the metadata; missing values have no row. */
function known(
  build: Build,
  service: ReactNode,
  commitLink: BuildDetailProps['links']['commit'],
): [string, ReactNode][] {
  const commit = (sha: string, words: string) => (
    <span className="mono">{commitLink(sha, words)}</span>
  );
  const facts: [string, ReactNode][] = [
    ['service', service],
    ['commit', commit(build.commit, build.commit)],
    ['branch', build.branch],
    ['author', build.author],
    ['pull request', pullRequest(build)],
    ['after', build.parent && commit(build.parent, shortCommit(build.parent))],
    ['Go', build.go_version],
    ['platform', [build.goos, build.goarch].filter(Boolean).join('/')],
    ['flags', build.flags],
    ['committed', build.committed_at && <Timestamp key="at" at={build.committed_at} exact />],
    [
      'CI',
      build.ci_url && (
        <a key="ci" href={build.ci_url} rel="noreferrer noopener" target="_blank">
          {build.ci_url}
        </a>
      ),
    ],
  ];
  return facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
}

function pullRequest({ pull_request }: Build): ReactNode {
  const { number, url } = pull_request ?? {};
  const words = typeof number === 'number' ? `#${number}` : null;
  if (typeof url !== 'string' || !/^https?:/u.test(url)) return words;
  return (
    <a key="pull" href={url} rel="noreferrer noopener" target="_blank">
      {words ?? url}
    </a>
  );
}

function BuildVerdict({ build, links }: Pick<BuildDetailProps, 'build' | 'links'>) {
  const judgement = useQuery(buildVerdictQuery(build.id));
  if (judgement.error) return <p className="muted">{describeError(judgement.error).detail}</p>;
  if (!judgement.data) return <p className="muted">loading</p>;
  const {
    state,
    sentence,
    required_evidence: needs,
    regression_ids,
    evaluated_at,
  } = judgement.data;
  const need = requiredEvidenceText(needs);
  return (
    <>
      <p className={classes.chosen}>
        <BuildVerdictWord state={state} />
        <span>{sentence}</span>
        {need && <span className="muted">{need}</span>}
        {regression_ids.map((id) => (
          <span key={id}>{links.regression(id, <Named id={id} />)}</span>
        ))}
        {evaluated_at && (
          <span className="muted">
            <Timestamp at={evaluated_at} />
          </span>
        )}
      </p>
      <BuildEvidence judgement={judgement.data} links={links} />
    </>
  );
}

type EvidenceProps = { judgement: Judgement; links: BuildDetailProps['links'] };

/**
 * Shows the comparison behind the verdict: the other build, and the verdict of each kind of
 * artifact.
 */
function BuildEvidence({ judgement, links }: EvidenceProps) {
  const { comparison, kinds } = judgement;
  if (!comparison?.base) return null;
  const { base, comparison_id, is_merge_base, kinds_left_out } = comparison;
  const commit = <span className="mono">{shortCommit(base.commit)}</span>;
  return (
    <p className={classes.chosen}>
      {comparison_id && links.comparison(comparison_id, 'Open the comparison')}
      <span>
        {comparison_id ? 'compared with' : 'nearest earlier build'}{' '}
        {is_merge_base && 'the merge base '}
        {base.build_id ? links.build(base.build_id, commit) : commit}
      </span>
      {kinds.map(({ kind, verdict }) => (
        <span key={kind} className="muted">
          {kind}: {verdict}
        </span>
      ))}
      {kinds_left_out.length > 0 && (
        <span className="muted">not compared: {kinds_left_out.join(', ')}</span>
      )}
    </p>
  );
}

/** Shows the number of a regression, as notifications do; without access, only "the regression". */
function Named({ id }: { id: string }) {
  const regression = useQuery(regressionQuery(id));
  const number = regression.data?.number ?? null;
  return number === null ? 'the regression' : numberText(number);
}
