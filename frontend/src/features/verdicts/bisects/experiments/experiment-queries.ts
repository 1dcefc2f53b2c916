/** Queries of the experiments of a bisect, a regression or a build. */
import { queryOptions } from '@tanstack/react-query';
import {
  calls,
  type Bisect,
  type BisectWords,
  type Experiment,
  type ExperimentBody,
} from '../../../../api';
import type { Subject } from '../shared/bisect-queries';

const POLL_MS = 3000;

export type ExperimentSubject = { regression_id: string } | { build_id: string };
type Criterion = BisectWords['signature'];
/** The source of variants, and how its experiments are listed and started. */
export type ExperimentSource = {
  key: string[];
  list: (signal: AbortSignal) => Promise<Experiment[]>;
  create: (body: ExperimentBody, criterion: Criterion) => Promise<Experiment>;
  /** What is measured; null if `criteria` are offered. */
  measure: string | null;
  /** The subject whose bisect would offer the criteria. */
  criteria: Subject | null;
  canRevert: boolean;
  /** The name of the build without the increase; null if there is none. */
  parent: string | null;
  /** Whether the source is a build, which is not necessarily slower than another. */
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
    criteria: null,
    canRevert: isFound && bisect.levels.every(({ module }) => module === null),
    parent: isFound ? 'Build before the culprit' : null,
  };
}

export const sourceOfSubject = (
  subject: ExperimentSubject,
  service_id: string,
): ExperimentSource => ({
  key: ['bisect', 'experiments', ...Object.values(subject)],
  list: (signal) => calls.experimentsListOfSubject({ query: subject, signal }),
  create: (body, signature) =>
    calls.experimentsCreateOfSubject({ body: { ...body, ...subject, signature } }),
  measure: null,
  criteria: 'regression_id' in subject ? subject : { service_id },
  canRevert: false,
  parent: 'regression_id' in subject ? 'Good build' : null,
  isOfBuild: 'build_id' in subject,
});

/** Query of the experiments, newest first; polled while one is running. */
export const experimentsQuery = ({ key, list }: ExperimentSource) =>
  queryOptions({
    queryKey: key,
    queryFn: ({ signal }) => list(signal),
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.state === 'running') ? POLL_MS : false,
  });
