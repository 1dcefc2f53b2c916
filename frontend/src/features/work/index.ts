export { useEvents, usePollWhile } from './events';
export { JobsIndicator } from './JobsIndicator';
export { JobsTable } from './JobsTable';
export { activeJobsQuery, cancelJob } from './queries';
