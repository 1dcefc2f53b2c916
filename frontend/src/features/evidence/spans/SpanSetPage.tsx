/** The page of one span set: how long its requests take, and where the time is spent. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { makeConnectionLostError } from '../../../api';
import {
  ErrorState,
  HiddenInSnapshot,
  PageHeader,
  SkeletonRows,
  countOf,
  durationText,
  useTitle,
} from '../../../ui';
import { AllTraces } from './AllTraces';
import { SpansBody, type BodyProps } from './SpansBody';
import { SpanText } from './SpanText';
import { nameQuery, spanSetQuery } from './span-queries';
import classes from './spans.module.css';
import type { TracesView } from './span-url';
import { setAnswer } from './span-wording';

export type SpanSetPageProps = Pick<BodyProps, 'view' | 'onView' | 'traceLink'> & {
  artifactId: string;
  traces: TracesView;
  onTraces: (view: TracesView) => void;
  /** A link back, on the line above the title. */
  above: ReactNode;
  /** A link to the choice of the other side. */
  compare: ReactNode;
};

export default function SpanSetPage(props: SpanSetPageProps) {
  const { artifactId, above, compare, traces, onTraces, ...body } = props;
  const set = useQuery(spanSetQuery(artifactId));
  const name = useQuery(nameQuery(artifactId)).data ?? '';
  useTitle(name || 'Spans');
  const failed = makeConnectionLostError(set);
  if (failed) {
    return (
      <>
        <PageHeader above={above} title="Could not load the spans" />
        <div className={classes.inset}>
          <ErrorState
            error={failed}
            action={<Button onClick={() => void set.refetch()}>Try again</Button>}
          />
        </div>
      </>
    );
  }
  if (!set.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={16} label="Loading the spans" />
      </div>
    );
  }
  const side = set.data.sides.base;
  return (
    <>
      <PageHeader
        above={above}
        title={<SpanText words={setAnswer(set.data)} />}
        sub={
          side && (
            <>
              <span className={`${classes.wrap} mono`}>{name}</span>
              {name && ' · '}
              {countOf(side.traces, 'trace')} · {countOf(side.spans, 'span')} ·{' '}
              {countOf(set.data.services.length, 'service')}
              {` · ${durationText(side.seconds * 1e9)}`}
            </>
          )
        }
        actions={<HiddenInSnapshot>{compare}</HiddenInSnapshot>}
      />
      <SpansBody
        sets={set.data}
        {...body}
        list={
          <AllTraces
            artifactId={artifactId}
            view={traces}
            onView={onTraces}
            traceLink={body.traceLink}
          />
        }
      />
    </>
  );
}
