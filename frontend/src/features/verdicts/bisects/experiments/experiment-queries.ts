/** Experiments of a bisect, a regression or a build. */
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
/** What variants are measured of, and how experiments are listed and started. */
export type ExperimentSource = {
  key: string[];
  list: (signal: AbortSignal) => Promise<Experiment[]>;
  create: (body: ExperimentBody, criterion: Criterion) => Promise<Experiment>;
  /** What is measured; null where `criteria` are offered. */
  measure: string | null;
  /** Of what a bisect would offer the criteria. */
  criteria: Subject | null;
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

/** Newest first; asked again while one is measured. */
export const experimentsQuery = ({ key, list }: ExperimentSource) =>
  queryOptions({
    queryKey: key,
    queryFn: ({ signal }) => list(signal),
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.state === 'running') ? POLL_MS : false,
  });
