/** What is known of one build: its facts, the judgement, and the regressions that began with it. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Build } from '../../api';
import { FactsList, PageHead, Section, StateGlyph, Time, tellingOf, useTitle } from '../../ui';
import { judgementQuery, regressionQuery } from './queries';
import classes from './regressions.module.css';
import { JUDGEMENTS, needsText, numberText, shortCommit } from './wording';

export type BuildDetailProps = {
  build: Build;
  service: ReactNode;
  back: ReactNode;
  regressionLink: (regression_id: string, words: ReactNode) => ReactNode;
  /** The build's files, from the storey that has them. */
  files: ReactNode;
};

export default function BuildDetail({
  build,
  service,
  back,
  regressionLink,
  files,
}: BuildDetailProps) {
  useTitle(`Build ${shortCommit(build.commit)}`);
  return (
    <>
      <PageHead
        above={back}
        title={
          <>
            Build <span className="mono">{shortCommit(build.commit)}</span>
            {build.label && ` · ${build.label}`}
          </>
        }
        sub={build.title ?? undefined}
      />
      <Section title="Judgement" aside="against the builds before it">
        <JudgementOf build={build} regressionLink={regressionLink} />
      </Section>
      <Section title="Facts">
        <FactsList facts={known(build, service)} />
      </Section>
      <Section title="Files">{files}</Section>
    </>
  );
}

/** What is known of the build; what nobody told has no row. */
function known(build: Build, service: ReactNode): [string, ReactNode][] {
  const facts: [string, ReactNode][] = [
    ['service', service],
    [
      'commit',
      <span key="commit" className="mono">
        {build.commit}
      </span>,
    ],
    ['branch', build.branch],
    ['author', build.author],
    ['pull request', pullRequest(build)],
    [
      'after',
      build.parent && (
        <span key="after" className="mono">
          {shortCommit(build.parent)}
        </span>
      ),
    ],
    ['Go', build.go_version],
    ['platform', [build.goos, build.goarch].filter(Boolean).join('/')],
    ['flags', build.flags],
    ['committed', build.committed_at && <Time key="at" at={build.committed_at} exact />],
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

function JudgementOf({
  build,
  regressionLink,
}: Pick<BuildDetailProps, 'build' | 'regressionLink'>) {
  const judgement = useQuery(judgementQuery(build.id));
  if (judgement.error) return <p className="muted">{tellingOf(judgement.error).detail}</p>;
  if (!judgement.data) return <p className="muted">looking it up</p>;
  const { state, sentence, needs, regression_ids, judged_at } = judgement.data;
  const [glyph, word] = JUDGEMENTS[state];
  const need = needsText(needs);
  return (
    <p className={classes.chosen}>
      <StateGlyph glyph={glyph}>{word}</StateGlyph>
      <span>{sentence}</span>
      {need && <span className="muted">{need}</span>}
      {regression_ids.map((id) => (
        <span key={id}>{regressionLink(id, <Named id={id} />)}</span>
      ))}
      {judged_at && (
        <span className="muted">
          <Time at={judged_at} />
        </span>
      )}
    </p>
  );
}

/** By its number, as everybody was told of it; where that can not be asked for, by what it is. */
function Named({ id }: { id: string }) {
  const regression = useQuery(regressionQuery(id));
  const number = regression.data?.number ?? null;
  return number === null ? 'the regression' : numberText(number);
}
