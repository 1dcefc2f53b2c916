import { Button, Progress } from '@mantine/core';
import {
  useInfiniteQuery,
  useMutation,
  useQueryClient,
  type UseMutationResult,
} from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { makeConnectionLostError, type Job } from '../../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  SkeletonRows,
  StateIcon,
  Timestamp,
  durationText,
  type Column,
  type Glyph,
} from '../../../ui';
import { usePollWhile } from './team-events';
import { cancelJob, isActive, jobsQuery, retryJob } from './job-queries';
import { isWithoutResult, subjectNoun } from './job-wording';

const GLYPHS: Record<Job['state'], Glyph> = {
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'ended',
};

function Steps({ job }: { job: Job }) {
  if (job.state === 'failed')
    return (
      <span className="err">
        {job.problem?.detail ?? 'The job failed without an error message.'}
      </span>
    );
  if (job.state === 'done' && job.started_at && job.finished_at) {
    const took_ms = Date.parse(job.finished_at) - Date.parse(job.started_at);
    return <span className="muted">duration {durationText(took_ms * 1e6)}</span>;
  }
  if (job.cancel_requested) return <span className="t2">being cancelled</span>;
  if (job.state !== 'running') return null;
  const percent = Math.round(job.progress * 100);
  return (
    <span>
      <span className="t2">{job.step || 'started'}</span>
      <Progress value={percent} aria-label={`${percent}%`} mt={3} />
    </span>
  );
}

type Change = Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending' | 'variables'>;

/** Cancels a job that has not ended, or retries one that failed. */
function JobAction({ job, stop, again }: { job: Job; stop: Change; again: Change }) {
  return isActive(job) ? (
    <button
      type="button"
      className="link"
      disabled={job.cancel_requested || (stop.isPending && stop.variables === job.id)}
      aria-label={`Cancel: ${subjectNoun(job.name)}`}
      onClick={() => stop.mutate(job.id)}
    >
      Cancel
    </button>
  ) : job.state === 'failed' || job.state === 'cancelled' ? (
    <button
      type="button"
      className="link"
      disabled={again.isPending && again.variables === job.id}
      aria-label={`Try again: ${subjectNoun(job.name)}`}
      onClick={() => again.mutate(job.id)}
    >
      Try again
    </button>
  ) : null;
}

function jobColumns(link: (job: Job) => ReactNode, action: (job: Job) => ReactNode): Column<Job>[] {
  return [
    {
      id: 'state',
      head: 'State',
      width: 130,
      cell: (job) => <StateIcon glyph={GLYPHS[job.state]}>{job.state}</StateIcon>,
    },
    { id: 'name', head: 'Job', width: 230, cell: (job) => subjectNoun(job.name) },
    {
      id: 'subject',
      head: 'Subject',
      width: 300,
      cell: (job) => (isWithoutResult(job.name) ? null : link(job)),
    },
    { id: 'step', head: 'Progress', cell: (job) => <Steps job={job} /> },
    {
      id: 'attempts',
      head: 'Attempts',
      width: 70,
      align: 'right',
      cell: (job) => `${job.attempts} of ${job.max_attempts}`,
    },
    {
      id: 'at',
      head: 'Created',
      width: 150,
      align: 'right',
      cell: (job) => <Timestamp at={job.created_at} />,
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 100,
      align: 'right',
      cell: action,
    },
  ];
}

/**
 * All jobs of the team, newest first: what each does, its progress, why it failed, and a button to
 * retry it.
 */
export function JobsTable({
  link,
  mayAct,
}: {
  /** Renders the subject of a job, with a link if it has a page. */
  link: (job: Job) => ReactNode;
  mayAct: boolean;
}) {
  const pollWhile = usePollWhile();
  const client = useQueryClient();
  const jobs = useInfiniteQuery({
    ...jobsQuery,
    refetchInterval: (query) =>
      pollWhile(query.state.data?.pages.some((page) => page.items.some(isActive)) ?? false),
  });
  const again = useMutation({
    mutationFn: retryJob,
    onSettled: () => client.invalidateQueries({ queryKey: ['job'] }),
  });
  const stop = useMutation({
    mutationFn: cancelJob,
    onSettled: () => client.invalidateQueries({ queryKey: ['job'] }),
  });

  const failed = makeConnectionLostError(jobs);
  if (failed)
    return (
      <ErrorState
        error={failed}
        action={<Button onClick={() => void jobs.refetch()}>Try again</Button>}
      />
    );
  if (!jobs.data) return <SkeletonRows rows={8} />;
  const rows = jobs.data.pages.flatMap((page) => page.items);
  if (rows.length === 0)
    return (
      <EmptyState>No jobs yet. Running and finished background work is listed here.</EmptyState>
    );

  const refused = again.error ?? stop.error;
  return (
    <>
      {refused && <ErrorState error={refused} compact />}
      <DataTable
        label="Jobs"
        columns={jobColumns(
          link,
          (job) => mayAct && <JobAction job={job} stop={stop} again={again} />,
        )}
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={(job) => job.id}
        rowHeight={34}
        minWidth={1090}
      />
      {jobs.hasNextPage && (
        <Button my="md" loading={jobs.isFetchingNextPage} onClick={() => void jobs.fetchNextPage()}>
          Load older jobs
        </Button>
      )}
    </>
  );
}
