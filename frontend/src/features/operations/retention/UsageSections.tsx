import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Usage } from '../../../api';
import { DailyBars } from '../../../charts';
import {
  ErrorState,
  EmptyState,
  Section,
  SkeletonRows,
  Timestamp,
  countOf,
  countText,
  sizeText,
} from '../../../ui';
import { StorageBreakdown } from './StorageBreakdown';
import classes from './retention.module.css';
import { usageQuery } from './retention-queries';
import { ageText, filesText, folderText, kindText } from './retention-wording';

const SERVICES_SHOWN = 12;

/** Storage usage by kind, service and age, and the data received on each day. */
export function UsageSections() {
  const usage = useQuery(usageQuery);
  if (usage.error)
    return (
      <Section title="Usage">
        <ErrorState
          what="Could not load the storage usage"
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
  const used = usage.data;
  return (
    <>
      <Limits limits={used.limits} />
      <Section title="Stored" aside={filesText(used.files, used.bytes)}>
        {used.files === 0 ? (
          <EmptyState help="start">No uploads yet.</EmptyState>
        ) : (
          <div className={classes.columns}>
            <StorageBreakdown
              label="By kind"
              rows={used.kinds.map((one) => ({ ...one, name: kindText(one.name) }))}
            />
            <StorageBreakdown label="By service" rows={services(used)} />
            <StorageBreakdown
              label="By age"
              rows={used.ages.map((one, index) => ({
                ...one,
                name: ageText(one.days, used.ages[index - 1]?.days ?? null),
              }))}
              keepOrder
            />
          </div>
        )}
      </Section>
      <Folders usage={used} />
      <Section title="Daily usage" aside="the last 90 days, UTC">
        <div className={classes.columns}>
          <DailyBars
            label="Uploads"
            days={used.days.map((day) => ({ day: day.day, value: day.uploads }))}
            text={(value) => countOf(value, 'upload')}
          />
          <DailyBars
            label="Metric samples"
            days={used.days.map((day) => ({ day: day.day, value: day.samples }))}
            text={(value) => countOf(value, 'sample')}
          />
          <DailyBars
            label="Jobs"
            days={used.days.map((day) => ({ day: day.day, value: day.jobs }))}
            text={(value) => countOf(value, 'job')}
          />
          <DailyBars
            label="Builds evaluated"
            days={used.days.map((day) => ({ day: day.day, value: day.builds }))}
            text={(value) => countOf(value, 'build')}
          />
        </div>
      </Section>
    </>
  );
}

function services(used: Usage) {
  const named = used.services.map((one) => ({
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
  const close = limits.filter((one) => one.state !== 'ok');
  if (close.length === 0) return null;
  return (
    <Section title="Limits">
      {close.map((one) => (
        <p key={one.resource} role="status" className={classes.warning}>
          {one.resource === 'bytes'
            ? `${sizeText(one.used)} of ${sizeText(one.limit)} storage used.`
            : `${countText(one.used)} of ${countText(one.limit)} series used.`}{' '}
          {one.state === 'reached'
            ? 'Uploads are rejected until usage is below the limit.'
            : 'Shorten the retention, or ask the operator of this Slowpath server for a higher limit.'}
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
      title="Storage by type"
      aside={
        <>
          {sizeText(total)} including derived data; counted <Timestamp at={usage.counted_at} />
        </>
      }
    >
      <p className={classes.note}>
        Identical files are stored once. Derived data is deleted with its artifact; comparisons keep
        their results. Orphaned blobs are deleted after half a day
        {usage.deleted_blobs > 0 && `: ${countOf(usage.deleted_blobs, 'blob')} in the last run`}.
      </p>
      <StorageBreakdown
        label="By type"
        rows={usage.folders
          .filter((one) => one.files > 0)
          .map((one) => ({ ...one, name: folderText(one.name) }))}
        noun="blob"
      />
    </Section>
  );
}
