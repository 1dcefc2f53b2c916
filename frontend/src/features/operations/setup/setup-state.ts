/** What a team has received so far, which marks the steps that set up a service as done. */
import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';
import { shortCommit } from '../../../lib/commits';

export type FirstStepId = 'upload' | 'build' | 'metrics';
export type StepId = FirstStepId | 'deployment' | 'runner' | 'channel';

/** Describes what a step received, and when; null if nothing yet. */
export type Received = { words: string; at: string | null } | null;

export const one = { limit: 1 };

export type ReadStep = (signal: AbortSignal) => Promise<Received>;

/** By step: reads the newest object. These steps decide on which page a team starts. */
const READ_FIRST: Record<FirstStepId, ReadStep> = {
  upload: async (signal) => {
    const [found] = (await calls.artifactsList({ query: one, signal })).items;
    return found ? { words: found.name, at: found.created_at } : null;
  },
  build: async (signal) => {
    const [found] = (await calls.buildsList({ query: one, signal })).items;
    return found ? { words: shortCommit(found.commit), at: found.created_at } : null;
  },
  metrics: async (signal) => {
    const { series } = await calls.metricSettingsGet({ signal });
    return series > 0 ? { words: `${series.toLocaleString('en-GB')} time series`, at: null } : null;
  },
};

const EVERY_MS = 2_000;

/** Polled until the step is done: it is marked within two seconds after the data arrives. */
export const makeStepQuery = (id: StepId, read: ReadStep) =>
  queryOptions({
    queryKey: ['setup', id],
    queryFn: ({ signal }) => read(signal),
    refetchInterval: ({ state }) => (state.data ? false : EVERY_MS),
    staleTime: EVERY_MS,
  });

export const firstStepQuery = (id: FirstStepId) => makeStepQuery(id, READ_FIRST[id]);

/** Whether a team has neither artifacts, builds nor metrics. */
export const isEmptyTeam = (found: Partial<Record<StepId, Received>>): boolean =>
  found.upload === null && found.build === null && found.metrics === null;
