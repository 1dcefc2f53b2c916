/**
 * The activity feed: what the team did and what Slowpath found, by day, newest first. It updates
 * while it is open.
 */
import { Button, Select } from '@mantine/core';
import { clockText, fullTimeText } from '../../../lib/times';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  EmptyState,
  ErrorState,
  PageHeader,
  Section,
  SkeletonRows,
  Toolbar,
  useTitle,
} from '../../../ui';
import classes from './activity.module.css';
import { activityQuery } from './activity-queries';
import { ACTIVITY_KINDS, type ActivitySearch } from './activity-url';
import {
  KINDS,
  dayText,
  daysOf,
  describeEvent,
  subjectOf,
  verbOf,
  actorText,
  type Line,
} from './activity-wording';

type Named = { id: string; name: string };

export type ActivityProps = {
  search: ActivitySearch;
  onSearch: (next: ActivitySearch) => void;
  services: Named[];
  people: Named[];
  /** Renders a link to a path below the team's. */
  link: (path: string, words: ReactNode) => ReactNode;
};

export default function ActivityFeed({ search, onSearch, services, people, link }: ActivityProps) {
  useTitle('Activity');
  const feed = useInfiniteQuery(activityQuery(search));
  const rows = feed.data?.pages.flatMap(({ items }) => items) ?? [];
  const filtered = Boolean(search.kind ?? search.service ?? search.by);
  const names = new Map(services.map(({ id, name }) => [id, name]));
  return (
    <>
      <PageHeader title="Activity" sub="Actions of the team and findings of Slowpath" />
      <Toolbar label="Filter activity">
        <Select
          aria-label="Kind"
          placeholder="all kinds"
          clearable
          data={ACTIVITY_KINDS.map((kind) => ({ value: kind, label: KINDS[kind] }))}
          value={search.kind ?? null}
          onChange={(kind) =>
            onSearch({ ...search, kind: ACTIVITY_KINDS.find((one) => one === kind) })
          }
        />
        <Select
          aria-label="Service"
          placeholder="any service"
          clearable
          searchable
          data={services.map(({ id, name }) => ({ value: id, label: name }))}
          value={search.service ?? null}
          onChange={(service) => onSearch({ ...search, service: service ?? undefined })}
        />
        <Select
          aria-label="Actor"
          placeholder="any actor"
          clearable
          searchable
          data={[
            { value: 'slowpath', label: 'System' },
            ...people.map(({ id, name }) => ({ value: id, label: `by ${name}` })),
          ]}
          value={search.by ?? null}
          onChange={(by) => onSearch({ ...search, by: by ?? undefined })}
        />
      </Toolbar>
      {feed.error && (
        <Section>
          <ErrorState
            error={feed.error}
            action={<Button onClick={() => void feed.refetch()}>Try again</Button>}
          />
        </Section>
      )}
      {feed.isPending && (
        <Section>
          <SkeletonRows rows={10} height={26} />
        </Section>
      )}
      {feed.data && rows.length === 0 && (
        <Section>
          <EmptyState>
            {filtered
              ? 'No activity matches these filters.'
              : 'No activity yet. Uploads by tokens are listed under Builds and Artifacts.'}
          </EmptyState>
        </Section>
      )}
      {daysOf(rows).map(({ day, lines }) => (
        <Section key={day} title={dayText(lines[0]!.first.occurred_at, new Date())}>
          <ol className={classes.lines}>
            {lines.map((line) => (
              <LineView
                key={line.first.id}
                line={line}
                service={names.get(line.first.service_id ?? '') ?? null}
                link={link}
              />
            ))}
          </ol>
        </Section>
      ))}
      {feed.hasNextPage && (
        <Section>
          <Button
            my="md"
            loading={feed.isFetchingNextPage}
            onClick={() => void feed.fetchNextPage()}
          >
            Load older
          </Button>
        </Section>
      )}
    </>
  );
}

type LineProps = { line: Line; service: string | null; link: ActivityProps['link'] };

function LineView({ line, service, link }: LineProps) {
  const { first, count } = line;
  const [before, after] = verbOf(first);
  const thing = subjectOf(line);
  const description = describeEvent(first);
  return (
    <li className={classes.line}>
      <time dateTime={first.occurred_at} title={fullTimeText(first.occurred_at)} className="muted">
        {clockText(first.occurred_at)}
      </time>
      <span className={classes.words}>
        <b>{actorText(first)}</b> {before}{' '}
        {first.path !== null && count === 1 && thing !== '' ? link(first.path, thing) : thing}
        {after && ` ${after}`}
        {service !== null && <span className="muted"> · {service}</span>}
        {description !== '' && <span className={classes.description}>{description}</span>}
      </span>
    </li>
  );
}
