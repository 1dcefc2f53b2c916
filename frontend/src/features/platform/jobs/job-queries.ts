import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { calls, type Job } from '../../../api';

export const isActive = (job: Pick<Job, 'state'>): boolean =>
  job.state === 'waiting' || job.state === 'running';

export const activeJobsQuery = queryOptions({
  queryKey: ['job', 'active'],
  queryFn: ({ signal }) =>
    calls.jobsList({ query: { state: ['waiting', 'running'], limit: 200 }, signal }),
});

export const jobsQuery = infiniteQueryOptions({
  queryKey: ['job', 'list'],
  queryFn: ({ pageParam, signal }) =>
    calls.jobsList({ query: { cursor: pageParam, limit: 100 }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
});

export const retryJob = (job_id: string) => calls.jobsRetry({ path: { job_id } });
export const cancelJob = (job_id: string) => calls.jobsCancel({ path: { job_id } });
