import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Usage } from '../../api';
import { DayBars } from '../../charts';
import {
  ErrorState,
  EmptyState,
  Section,
  SkeletonRows,
  Time,
  countOf,
  countText,
  sizeText,
} from '../../ui';
import { Shares } from './Shares';
import classes from './keeping.module.css';
import { usageQuery } from './queries';
import { ageText, filesText, folderText, kindText } from './wording';

const SERVICES_SHOWN = 12;

/** What is stored, by kind, service and age; what came in each day. */
export function UsageSections() {
  const usage = useQuery(usageQuery);
  if (usage.error)
    return (
      <Section title="Usage">
        <ErrorState
          what="What is stored could not be counted"
          error={usage.error}
          action={<Button onClick={() => void usage.refetch()}>Try again</Button>}
        />
      </Section>
    );
  if (usage.isPending)
    return (
      <Section title="Usage">
        <SkeletonRows rows={6} />
      </Section>
    );
  const told = usage.data;
  return (
    <>
      <Limits limits={told.limits} />
      <Section title="Stored" aside={filesText(told.files, told.bytes)}>
        {told.files === 0 ? (
          <EmptyState>What is uploaded will be counted here, by kind, service and age.</EmptyState>
        ) : (
          <div className={classes.columns}>
            <Shares
              label="By kind"
              rows={told.kinds.map((one) => ({ ...one, name: kindText(one.name) }))}
            />
            <Shares label="By service" rows={services(told)} />
            <Shares
              label="By age"
              rows={told.ages.map((one, index) => ({
                ...one,
                name: ageText(one.days, told.ages[index - 1]?.days ?? null),
              }))}
              keepOrder
            />
          </div>
        )}
      </Section>
      <Folders usage={told} />
      <Section title="Each day" aside="the last 90 days, UTC">
        <div className={classes.columns}>
          <DayBars
            label="Uploads"
            days={told.days.map((day) => ({ day: day.day, value: day.uploads }))}
            text={(value) => countOf(value, 'upload')}
          />
          <DayBars
            label="Samples of metrics"
            days={told.days.map((day) => ({ day: day.day, value: day.samples }))}
            text={(value) => countOf(value, 'sample')}
          />
          <DayBars
            label="Jobs"
            days={told.days.map((day) => ({ day: day.day, value: day.jobs }))}
            text={(value) => countOf(value, 'job')}
          />
          <DayBars
            label="Builds judged"
            days={told.days.map((day) => ({ day: day.day, value: day.builds }))}
            text={(value) => countOf(value, 'build')}
          />
        </div>
      </Section>
    </>
  );
}

function services(told: Usage) {
  const named = told.services.map((one) => ({
    name: one.name ?? 'No build',
    files: one.files,
    bytes: one.bytes,
  }));
  const rest = named.slice(SERVICES_SHOWN);
  if (rest.length === 0) return named;
  return [
    ...named.slice(0, SERVICES_SHOWN),
    {
      name: countOf(rest.length, 'other service'),
      files: rest.reduce((sum, one) => sum + one.files, 0),
      bytes: rest.reduce((sum, one) => sum + one.bytes, 0),
    },
  ];
}

function Limits({ limits }: { limits: Usage['limits'] }) {
  const close = limits.filter((one) => one.state !== 'free');
  if (close.length === 0) return null;
  return (
    <Section title="Limits">
      {close.map((one) => (
        <p key={one.what} role="status" className={classes.warning}>
          {one.what === 'bytes'
            ? `${sizeText(one.used)} of the ${sizeText(one.limit)} that a team may store are used.`
            : `${countText(one.used)} of the ${countText(one.limit)} series that a team may have are used.`}{' '}
          {one.state === 'reached'
            ? 'Nothing more is taken until some of it goes.'
            : 'Keep less, or ask whoever runs this Slowpath for more.'}
        </p>
      ))}
    </Section>
  );
}

function Folders({ usage }: { usage: Usage }) {
  if (usage.counted_at === null) return null;
  const total = usage.folders.reduce((sum, one) => sum + one.bytes, 0);
  return (
    <Section
      title="What it takes"
      aside={
        <>
          {sizeText(total)} with everything that is made of files; counted{' '}
          <Time at={usage.counted_at} />
        </>
      }
    >
      <p className={classes.note}>
        Equal bytes are stored once. What is made of a file goes with it; a comparison keeps what it
        found. Bytes that nothing needs any more are gone half a day later
        {usage.swept > 0 && `: ${countOf(usage.swept, 'blob')} the last time`}.
      </p>
      <Shares
        label="By what it is"
        rows={usage.folders
          .filter((one) => one.files > 0)
          .map((one) => ({ ...one, name: folderText(one.name) }))}
        noun="blob"
      />
    </Section>
  );
}
