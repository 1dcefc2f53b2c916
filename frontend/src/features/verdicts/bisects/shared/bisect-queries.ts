/** Queries of bisects, their proposals, and the runners that deploy for them. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  calls,
  type AutomaticBisectRules,
  type Bisect,
  type BisectSettingsUpdate,
  type BisectWords,
} from '../../../../api';
import { pagedList, type useCredentials } from '../../../../ui';
import type { BisectsSearch } from './bisects-url';
import { OPEN_STATES } from './bisect-wording';

type EnteredCredentials = ReturnType<typeof useCredentials>['credentials'];
const PAGE = 50;
const REGRESSION_BISECTS_KEY = 5;

export type Subject =
  | { regression_id: string }
  | { event_id: string }
  | { comparison_id: string }
  | { service_id: string };

export const bisectsQuery = ({ q, state, service }: BisectsSearch) =>
  pagedList(['bisect', 'list', { q, state, service }], (cursor, signal) =>
    calls.bisectsList({
      query: {
        search: q,
        service_id: service,
        state: state && (state === 'open' ? OPEN_STATES : [state]),
        cursor,
        limit: PAGE,
      },
      signal,
    }),
  );

export const bisectsOfQuery = (regression_id: string) =>
  queryOptions({
    queryKey: ['bisect', 'of', regression_id],
    queryFn: ({ signal }) =>
      calls.bisectsList({ query: { regression_id, limit: REGRESSION_BISECTS_KEY }, signal }),
  });
/** Query of the reason why no bisect was started for a regression, or why its newest one waits. */
export const automaticStartQuery = (regression_id: string) =>
  queryOptions({
    queryKey: ['bisect', 'automatic-start', regression_id],
    queryFn: ({ signal }) => calls.automaticBisectsExplain({ path: { regression_id }, signal }),
  });
/** Returns the request of the list of a regression's bisects. */
export const regressionBisectRequests = (regression_id: string): string =>
  `/bisects?limit=${REGRESSION_BISECTS_KEY}&regression_id=${regression_id}`;

export const bisectQuery = (bisect_id: string) =>
  queryOptions({
    queryKey: ['bisect', 'one', bisect_id],
    queryFn: ({ signal }) => calls.bisectsGet({ path: { bisect_id }, signal }),
  });

/** Query of the candidates of a level that match a search, or of all; newest first. */
export const candidatesQuery = (bisect_id: string, level: string, q: string) =>
  infiniteQueryOptions({
    queryKey: ['bisect', 'candidates', bisect_id, level, q],
    queryFn: ({ pageParam, signal }) =>
      calls.bisectsCandidates({
        path: { bisect_id },
        query: {
          level,
          search: q,
          cursor: pageParam === null ? null : Number(pageParam),
          limit: PAGE * 2,
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

/**
 * Query of the candidate at a position of a level: only the most probable ones are part of the
 * bisect.
 */
export const candidateAtQuery = (bisect_id: string, level: string, place: number) =>
  queryOptions({
    queryKey: ['bisect', 'candidates', bisect_id, level, 'at', place],
    queryFn: async ({ signal }) => {
      const { items } = await calls.bisectsCandidates({
        path: { bisect_id },
        query: { level, search: '', cursor: place + 1, limit: 1 },
        signal,
      });
      return items[0] ?? null;
    },
  });

/** Query of the artifacts of the probes of a bisect. */
export const filesQuery = (bisect_id: string) =>
  queryOptions({
    queryKey: ['bisect', 'files', bisect_id],
    queryFn: ({ signal }) => calls.bisectsArtifacts({ path: { bisect_id }, signal }),
    staleTime: 0,
  });

export const proposalQuery = (subject: Subject | null) =>
  queryOptions({
    queryKey: ['bisect', 'offer', subject],
    queryFn: ({ signal }) => calls.bisectsProposal({ query: subject ?? {}, signal }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });

/** Query of the commits that a text may name, exact names first. */
export const rangeEndsQuery = (repository_id: string, service_id: string | null, search: string) =>
  queryOptions({
    queryKey: ['bisect', 'ends', repository_id, service_id, search],
    queryFn: ({ signal }) =>
      calls.bisectsEnds({ query: { repository_id, service_id, search }, signal }),
    placeholderData: keepPreviousData,
  });

/** Starts the check of a request once; `again` counts how often the user repeated it. */
export const newPreflightQuery = (body: BisectWords, again: number) =>
  queryOptions({
    queryKey: ['bisect', 'preflight', 'new', body, again],
    queryFn: ({ signal }) =>
      calls.bisectsCreatePreflight({ body: { ...body, is_repeated: again > 0 }, signal }),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
const COUNTING_MS = 1000;
const CHECKING_MS = 10_000;
/** Polls the checks: a runner or a fetch may appear while the page is open. */
export const preflightQuery = (preflight_id: string) =>
  queryOptions({
    queryKey: ['bisect', 'preflight', preflight_id],
    queryFn: ({ signal }) => calls.bisectsGetPreflight({ path: { preflight_id }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.is_running || state.data?.boundary_check?.state === 'running'
        ? COUNTING_MS
        : CHECKING_MS,
  });
export const fetchRepository = (repository_id: string) =>
  calls.repositoriesFetch({ path: { repository_id } });
export const setRepositoryUrl = (repository_id: string, url: string) =>
  calls.repositoriesUpdate({ path: { repository_id }, body: { url } });
export const setRepositoryCredentials = (repository_id: string, credentials: EnteredCredentials) =>
  calls.repositoriesUpdate({ path: { repository_id }, body: { credentials } });
type NewRepository = {
  name: string;
  url: string;
  serviceId: string | null;
  /** A repository at the same host whose credentials are used. */
  credentialsOf: string | null;
};
export const addRepository = ({ name, url, serviceId, credentialsOf }: NewRepository) =>
  calls.repositoriesCreate({
    body: {
      name,
      url,
      credentials_of: credentialsOf,
      services: serviceId === null ? [] : [{ service_id: serviceId }],
    },
  });

export const automaticBisectsQuery = (service_id: string) =>
  queryOptions({
    queryKey: ['bisect', 'automatic', service_id],
    queryFn: ({ signal }) => calls.automaticBisectsGet({ path: { service_id }, signal }),
  });
export const setAutomaticBisects = (service_id: string, body: AutomaticBisectRules) =>
  calls.automaticBisectsSet({ path: { service_id }, body });

export const runnersQuery = queryOptions({
  queryKey: ['runner', 'list'],
  queryFn: ({ signal }) => calls.runnersList({ signal }),
});

export const startBisect = (body: BisectWords) => calls.bisectsCreate({ body });
/**
 * Starts a bisect that measures both ends once and pauses before the first candidate; an equal
 * request continues it.
 */
export const measureEnds = (body: BisectWords) =>
  calls.bisectsCreate({
    body: { ...body, settings: { ...body.settings, pauses_after_boundaries: true } },
  });
export const searchRest = (bisect_id: string) => calls.bisectsSearchRest({ path: { bisect_id } });
export const updateBisect = (bisect_id: string, settings: BisectSettingsUpdate) =>
  calls.bisectsUpdate({ path: { bisect_id }, body: { settings } });
export const applyBisectAction = (
  bisect_id: string,
  move: 'pause' | 'resume' | 'cancel' | 'approve' | 'retry',
  reason = '',
) => calls.bisectsApplyAction({ path: { bisect_id }, body: { action: move, reason } });
export const overrideCandidate = (
  bisect_id: string,
  body: { candidate: string; verdict: 'slower' | 'not-slower' | 'unbuildable'; reason: string },
) => calls.bisectsOverride({ path: { bisect_id }, body });
export const repeatProbe = (bisect_id: string, candidate: string) =>
  calls.bisectsRequestProbe({ path: { bisect_id }, body: { candidate } });
export const invalidateProbe = (bisect_id: string, number: number, reason: string) =>
  calls.bisectsInvalidate({ path: { bisect_id }, body: { number, reason } });
export const deleteBisect = (bisect_id: string, withFiles: boolean) =>
  calls.bisectsDelete({ path: { bisect_id }, query: { delete_artifacts: withFiles } });
export const deleteRunner = (runner_name: string) => calls.runnersDelete({ path: { runner_name } });

/** Creates a comparison of the artifacts of a probe with those of the good side. */
export const compareProbe = (name: string, base: string[], candidate: string[]) =>
  calls.comparisonsCreate({
    body: {
      name,
      base: { artifact_ids: base, label: 'good side' },
      candidate: { artifact_ids: candidate, label: name },
    },
  });

/** Creates a token for a runner. */
export const createRunnerToken = (team_id: string) =>
  calls.tokensCreate({
    path: { team_id },
    body: { name: 'runner', scopes: ['runner'], expires_in_days: null },
  });

/**
 * Returns the artifacts of valid measurements: those of one probe, and those of the other probes
 * that were good or not slower.
 */
export function artifactsOf(bisect: Bisect, number: number): { good: string[]; probe: string[] } {
  const windows = (probe: Bisect['probes'][number]): string[] =>
    probe.measurements.flatMap(({ invalidated, artifact_ids }) =>
      invalidated ? [] : artifact_ids,
    );
  const one = bisect.probes.find((probe) => probe.number === number);
  const good = bisect.probes.filter(
    (probe) =>
      probe.number !== number &&
      (probe.candidate === 'good' || probe.verdict === 'not-slower') &&
      probe.state !== 'invalidated',
  );
  // The control of the same round is the best base; without one, all probes that were not slower.
  const beside = good.filter(({ purpose, round }) => purpose === 'control' && round === one?.round);
  return {
    good: (beside.length > 0 ? beside : good).flatMap(windows),
    probe: one ? windows(one) : [],
  };
}
