/** The experiments of a bisect. */
import { queryOptions } from '@tanstack/react-query';
import { calls, type ExperimentBody } from '../../../api';

const POLL_MS = 3000;

/** Newest first; asked again while one is measured. */
export const experimentsQuery = (bisect_id: string) =>
  queryOptions({
    queryKey: ['bisect', 'experiments', bisect_id],
    queryFn: ({ signal }) => calls.experimentsList({ path: { bisect_id }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.state === 'running') ? POLL_MS : false,
  });

export const createExperiment = (bisect_id: string, body: ExperimentBody) =>
  calls.experimentsCreate({ path: { bisect_id }, body });
