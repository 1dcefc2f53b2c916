/** One production event: what happened, its proof, and all its evidence. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { makeConnectionLostError, type InboxItem, type ProductionEvent } from '../../../api';
import {
  ErrorState,
  HiddenInSnapshot,
  IdentifierText,
  PageHeader,
  Section,
  SkeletonRows,
  StateIcon,
  useTitle,
} from '../../../ui';
import { Terms } from '../../../ui/Terms';
import { ServicePanels } from '../../evidence/dashboard';
import { EventCommits } from './EventCommits';
import { EventComparison } from './EventComparison';
import { EventDetails } from './EventDetails';
import { EventHistory } from './EventHistory';
import { EventTraces } from './EventTraces';
import { ProofStrip } from './ProofStrip';
import classes from './events.module.css';
import { productionEventQuery } from './event-queries';
import { sizeText, stateText, titleText } from './event-wording';

/** A range of the dashboard: an environment, a service and a time range. */
export type EventRange = {
  environmentId: string;
  serviceId: string | null;
  /** The slug of the service. */
  service: string | null;
  fromMs: number;
  toMs: number;
};

export type EventPageProps = {
  id: string;
  mayWrite: boolean;
  back: ReactNode;
  /** Rendered by higher features: actions on the event, and its discussion. */
  actions: (item: InboxItem) => ReactNode;
  discussion: ReactNode;
  links: {
    commit: (repositoryId: string, sha: string, words: ReactNode) => ReactNode;
    build: (buildId: string, words: ReactNode) => ReactNode;
    service: (serviceId: string, words: string) => ReactNode;
    comparison: (comparisonId: string, words: string) => ReactNode;
    dashboard: (range: EventRange, words: string) => ReactNode;
    trace: (setId: string, traceId: string, words: string) => ReactNode;
    spanSet: (setId: string, words: string) => ReactNode;
  };
  onRange: (range: EventRange) => void;
  onComparison: (comparisonId: string, finding: number | null) => void;
};

export default function EventPage(props: EventPageProps) {
  const event = useQuery(productionEventQuery(props.id));
  useTitle(event.data?.item.title ?? 'Production event');
  const failed = makeConnectionLostError(event);
  if (failed)
    return (
      <>
        <PageHeader above={props.back} title="Could not load the production event" />
        <Section>
          <ErrorState
            error={failed}
            action={<Button onClick={() => void event.refetch()}>Try again</Button>}
          />
        </Section>
      </>
    );
  if (!event.data)
    return (
      <Section>
        <SkeletonRows rows={10} label="Loading the production event" />
      </Section>
    );
  return <LoadedEvent {...props} event={event.data} />;
}

type LoadedProps = EventPageProps & { event: ProductionEvent };

function LoadedEvent(props: LoadedProps) {
  const { event, mayWrite, back, actions, discussion, links } = props;
  const { item } = event;
  const [glyph, state] = stateText(item);
  const place = [item.service?.slug, item.environment?.name].filter(Boolean).join(', ');
  return (
    <>
      <PageHeader
        above={
          <span className={classes.crumbs}>
            {back}
            <span className="muted">/</span>
            <span>{item.number === null ? 'Event' : `Event ${item.number}`}</span>
            <span className="muted">{place}</span>
            <span className={classes.state} data-closed={item.closed !== null || undefined}>
              <StateIcon glyph={glyph}>{state}</StateIcon>
            </span>
          </span>
        }
        title={<IdentifierText text={titleText(item)} name={item.service?.slug ?? null} />}
        sub={<IdentifierText text={sizeText(event)} />}
        actions={mayWrite && actions(item)}
      />
      <ProofStrip proof={event.proof} />
      <div className={classes.columns}>
        <div className={classes.evidence}>
          <EventPanels {...props} />
          <Section>
            <Terms names={['change point', 'confidence interval']} />
          </Section>
          <EventComparison
            event={event}
            mayWrite={mayWrite}
            link={links.comparison}
            onOpen={props.onComparison}
          />
          <EventTraces event={event} traceLink={links.trace} setLink={links.spanSet} />
          <EventCommits event={event} link={links.commit} />
        </div>
        <aside className={classes.aside}>
          <EventDetails event={event} serviceLink={links.service} buildLink={links.build} />
          <HiddenInSnapshot>
            <section aria-label="Discussion">
              <h2 className={classes.asideHead}>Discussion</h2>
              {discussion}
            </section>
          </HiddenInSnapshot>
          <EventHistory history={event.history} />
        </aside>
      </div>
    </>
  );
}

const QUANTILES = ['p50', 'p90', 'p99', 'mean'] as const;

/** The maximum number of services that are drawn; the dashboard shows the others. */
const SERVICES_MOST = 3;

function EventPanels({ event, links, onRange }: LoadedProps) {
  const { range, signal, item } = event;
  const span = { fromMs: Date.parse(range.from), toMs: Date.parse(range.to) };
  const part: EventRange = {
    environmentId: range.environment_id,
    serviceId: item.service?.id ?? null,
    service: item.service?.slug ?? null,
    ...span,
  };
  return (
    <Section>
      <ServicePanels
        environment={range.environment_id}
        services={range.service_ids.slice(0, SERVICES_MOST)}
        span={span}
        gauge={event.gauge}
        quantile={QUANTILES.find((name) => name === signal) ?? 'p99'}
        onRange={(fromMs, toMs) => onRange({ ...part, fromMs, toMs })}
        link={links.dashboard(part, 'Open in dashboard')}
      />
    </Section>
  );
}
