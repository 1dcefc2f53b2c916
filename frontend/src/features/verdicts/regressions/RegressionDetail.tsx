/**
 * The page of one regression: what changed, by how much and since when, the evidence, the assignee,
 * and its history.
 */
import { TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import {
  makeConnectionLostError,
  type RegressionUpdate,
  type RegressionDetailOut,
} from '../../../api';
import {
  ErrorState,
  onText,
  PageHeader,
  Section,
  SkeletonRows,
  StateIcon,
  Timestamp,
  useTitle,
} from '../../../ui';
import { Terms } from '../../../ui/Terms';
import { shortCommit } from '../../../lib/commits';
import { ChangeCertainty } from './ChangeCertainty';
import { RegressionHistory } from './RegressionHistory';
import { SeriesPanel } from './SeriesPanel';
import { AssigneeMenu, StateMenu, type Person } from './TriageActions';
import { updateRegression, regressionQuery, regressionSeriesQuery } from './regression-queries';
import classes from './regressions.module.css';
import {
  STATES,
  changeText,
  citedText,
  requiredEvidenceText,
  numberText,
  seriesName,
} from './regression-wording';

export type RegressionDetailProps = {
  id: string;
  back: ReactNode;
  people: Person[];
  mayWrite: boolean;
  links: {
    build: (build_id: string, words: ReactNode) => ReactNode;
    comparison: (comparison_id: string, words: ReactNode) => ReactNode;
    service: (service_id: string) => ReactNode;
  };
  onOpenBuild: (build_id: string) => void;
  /** Another action, rendered by a higher feature: *Start bisect*. */
  action?: ReactNode;
  /** The bisects that this action started. */
  searches?: ReactNode;
  /** The commits between the two builds, rendered by another feature. */
  commits?: (regression: RegressionDetailOut) => ReactNode;
  /** Its discussion, rendered by a higher feature. */
  discussion?: ReactNode;
};

export default function RegressionDetail(props: RegressionDetailProps) {
  const { id, back, links, commits } = props;
  const regression = useQuery(regressionQuery(id));
  useTitle(regression.data?.title ?? 'Regression');
  const failed = makeConnectionLostError(regression);
  if (failed)
    return (
      <>
        <PageHeader above={back} title="Could not load the regression" />
        <Section>
          <ErrorState error={failed} />
        </Section>
      </>
    );
  if (!regression.data)
    return (
      <Section>
        <SkeletonRows rows={6} />
      </Section>
    );
  const { data } = regression;
  return (
    <>
      <PageHeader
        above={back}
        title={data.title}
        sub={data.sentence}
        actions={
          props.mayWrite && (
            <>
              <Acts regression={data} people={props.people} />
              {props.action}
            </>
          )
        }
      />
      <Section>
        <Facts regression={data} links={links} />
        {props.searches}
      </Section>
      <Section
        title="History by build"
        aside="one dot per build, with the confidence interval of its profiles"
      >
        <Series {...props} />
        <Terms names={['confidence interval', 'change point', 'minimum detectable change']} />
      </Section>
      <Section title="Evidence" aside="comparisons and builds cited">
        <Evidence regression={data} links={links} />
      </Section>
      {commits?.(data)}
      <Section title="History">
        <RegressionHistory id={id} people={props.people} />
      </Section>
      {props.discussion}
    </>
  );
}

function Acts({ regression, people }: { regression: RegressionDetailOut; people: Person[] }) {
  const client = useQueryClient();
  const [opened, setOpened] = useState<'state' | 'assignee' | null>(null);
  const save = useMutation({
    mutationFn: (update: RegressionUpdate) => updateRegression(regression.id, update),
    onSettled: () => client.invalidateQueries({ queryKey: ['regression'] }),
  });
  const change = (update: RegressionUpdate) => {
    setOpened(null);
    save.mutate(update);
  };
  return (
    <>
      {save.error && <ErrorState compact what="Could not save the changes" error={save.error} />}
      <StateMenu
        label={`State: ${STATES[regression.state][1]}`}
        opened={opened === 'state'}
        onOpened={(open) => setOpened(open ? 'state' : null)}
        disabled={save.isPending}
        onChange={change}
      />
      <AssigneeMenu
        label={`Assignee: ${regression.assignee ? (regression.assignee.name ?? 'former member') : 'unassigned'}`}
        opened={opened === 'assignee'}
        onOpened={(open) => setOpened(open ? 'assignee' : null)}
        disabled={save.isPending}
        onChange={change}
        people={people}
      />
      <DueDate due={regression.due_on} disabled={save.isPending} onChange={change} />
    </>
  );
}

type DueDateProps = {
  /** YYYY-MM-DD. */
  due: string | null;
  disabled: boolean;
  onChange: (update: RegressionUpdate) => void;
};

/**
 * A date field that saves on blur or Enter: a date being typed is valid several times before it is
 * complete.
 */
function DueDate({ due, disabled, onChange }: DueDateProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const save = () => {
    setTyped(null);
    if (typed !== null && typed !== (due ?? '')) onChange({ due_on: typed || null });
  };
  return (
    <span className={classes.due}>
      <span aria-hidden>Due</span>
      <TextInput
        aria-label="Due on"
        type="date"
        value={typed ?? due ?? ''}
        disabled={disabled}
        onChange={onText(setTyped)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Enter') save();
        }}
      />
    </span>
  );
}

type Linked = { regression: RegressionDetailOut; links: RegressionDetailProps['links'] };

function Facts({ regression, links }: Linked) {
  const {
    state,
    first_bad_build: since,
    good,
    fixed_by,
    range,
    related_series: members,
    is_confirmed: confirmed,
  } = regression;
  const [glyph, word] = STATES[state];
  const needs = requiredEvidenceText(regression.required_evidence);
  const point = (build: { build_id: string | null; commit: string }) => (
    <span className="mono">
      {build.build_id === null
        ? shortCommit(build.commit)
        : links.build(build.build_id, shortCommit(build.commit))}
    </span>
  );
  return (
    <>
      <p className={`${classes.chosen} ${classes.facts}`}>
        <StateIcon glyph={confirmed ? glyph : 'waiting'}>
          {confirmed ? word : 'Unconfirmed, not notified'}
        </StateIcon>
        {regression.number !== null && <span>{numberText(regression.number)}</span>}
        <span>{links.service(regression.service_id)}</span>
        <span className="muted">{regression.branch || 'no branch'}</span>
        {changeText(regression) && (
          <span>
            <ChangeCertainty regression={regression} />
          </span>
        )}
        {since && (
          <span>
            since {point(since)}, <Timestamp at={since.ordered_at} />
          </span>
        )}
        {good && <span>good until {point(good)}</span>}
        {range && range.first_commit !== range.last_commit && (
          <span className="muted">
            started between {shortCommit(range.first_commit)} and {shortCommit(range.last_commit)}
          </span>
        )}
        {fixed_by && <span>fixed by {point(fixed_by)}</span>}
        {needs && <span className="muted">{needs}</span>}
      </p>
      {members.length > 1 && (
        <ul className={classes.members} aria-label="Related changes">
          {members.slice(1).map((each) => (
            <li key={`${each.kind} ${each.subject}`}>
              <span title={each.subject}>{seriesName(each)}</span>{' '}
              <span className="muted">{each.is_cost_shift ? 'cost shift' : 'same cause'}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Series({ id, links, onOpenBuild }: RegressionDetailProps) {
  const series = useQuery(regressionSeriesQuery(id));
  if (series.error) return <ErrorState error={series.error} />;
  if (!series.data) return <SkeletonRows rows={4} height={40} />;
  return <SeriesPanel page={series.data} link={links.build} onOpen={onOpenBuild} />;
}

function Evidence({ regression, links }: Linked) {
  const cited = regression.evidence;
  if (cited.length === 0)
    return (
      <p className="muted">
        The change of the series above. A comparison of the builds before and after is added when
        both have profiles.
      </p>
    );
  return (
    <ul className={classes.history}>
      {cited.map((one) => (
        <li key={one.id} className={classes.event}>
          <span>{one.kind === 'fix-verification' ? 'fix verification' : 'comparison'}</span>
          {one.comparison_id && links.comparison(one.comparison_id, citedText(one))}
          {one.build_id && links.build(one.build_id, 'the build')}
          <span className="muted">
            <Timestamp at={one.created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
