/** Experiments of a bisect, a regression or a build. */
import { queryOptions } from '@tanstack/react-query';
import { calls, type Bisect, type Experiment, type ExperimentBody } from '../../../api';

const POLL_MS = 3000;

export type ExperimentSubject = { regression_id: string } | { build_id: string };
/** What variants are measured of, and how experiments are listed and started. */
export type ExperimentSource = {
  key: string[];
  list: (signal: AbortSignal) => Promise<Experiment[]>;
  create: (body: ExperimentBody) => Promise<Experiment>;
  /** What is measured. */
  measure: string;
  canRevert: boolean;
  /** What the build without the increase is called; null without one. */
  parent: string | null;
  /** Of a build, which need not be slower than another. */
  isOfBuild?: boolean;
};

export function sourceOfBisect(bisect: Bisect): ExperimentSource {
  const path = { bisect_id: bisect.id };
  const isFound = bisect.state === 'found';
  return {
    key: ['bisect', 'experiments', bisect.id],
    list: (signal) => calls.experimentsList({ path, signal }),
    create: (body) => calls.experimentsCreate({ path, body }),
    measure: bisect.signature.label,
    canRevert: isFound && bisect.levels.every(({ module }) => module === null),
    parent: isFound ? 'Build before the culprit' : null,
  };
}

export const sourceOfSubject = (subject: ExperimentSubject): ExperimentSource => ({
  key: ['bisect', 'experiments', ...Object.values(subject)],
  list: (signal) => calls.experimentsListOfSubject({ query: subject, signal }),
  create: (body) => calls.experimentsCreateOfSubject({ body: { ...body, ...subject } }),
  measure: 'the best criterion of a bisect',
  canRevert: false,
  parent: 'regression_id' in subject ? 'Good build' : null,
  isOfBuild: 'build_id' in subject,
});

/** Newest first; asked again while one is measured. */
export const experimentsQuery = ({ key, list }: ExperimentSource) =>
  queryOptions({
    queryKey: key,
    queryFn: ({ signal }) => list(signal),
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.state === 'running') ? POLL_MS : false,
  });
