import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { http, type Job, type Page } from '../../api';

export const isActive = (job: Pick<Job, 'state'>): boolean => job.state === 'waiting' || job.state === 'running';

export const activeJobsQuery = queryOptions({
  queryKey: ['job', 'recent'],
  queryFn: ({ signal }) => http.get<Page<Job>>('/jobs', { query: { limit: 50 }, signal }),
});

export const jobsQuery = infiniteQueryOptions({
  queryKey: ['job', 'list'],
  queryFn: ({ pageParam, signal }) => http.get<Page<Job>>('/jobs', { query: { cursor: pageParam, limit: 100 }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
});

export const retryJob = (id: string) => http.post<Job>(`/jobs/${id}/retry`);
export const cancelJob = (id: string) => http.post<Job>(`/jobs/${id}/cancel`);
