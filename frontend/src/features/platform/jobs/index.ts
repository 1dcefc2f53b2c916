export { useEvents, usePollWhile } from './team-events';
export { JobsIndicator } from './JobsIndicator';
export { JobsTable } from './JobsTable';
export { activeJobsQuery, cancelJob } from './job-queries';
