/** The view that the URL selects: requested if needed, with its summary and that of all samples. */
import { useQuery } from '@tanstack/react-query';
import type { ProfileSet, ProfileView, ProfileViewSummary } from '../../../api';
import { useIsSnapshot } from '../../../ui';
import {
  POLL_MS,
  isReadable,
  isUnderWay,
  profileViewQuery,
  requestedViewQuery,
  summaryQuery,
  type ViewKey,
  type WantedView,
} from './profile-queries';
import { findView } from './selected-view';

export type LoadedView = {
  key: ViewKey;
  view: ProfileView;
  summary: ProfileViewSummary;
  /** The summary without the label filter; null while that view is not computed. */
  whole: ProfileViewSummary | null;
};

export type ViewStatus = {
  loaded: LoadedView | null;
  /** Why the view cannot be shown; null while it is loading or shown. */
  error: Error | null;
  again: () => void;
};

const NO_VIEW = '';

export function useProfileView(set: ProfileSet, wanted: WantedView): ViewStatus {
  const frozen = useIsSnapshot();
  const known = findView(set.views, wanted);
  const isMissing = wanted.kind !== '' && (known === null || !isRequested(known));
  const requested = useQuery({
    ...requestedViewQuery(set.id, wanted),
    enabled: isMissing && !frozen,
  });
  const id = isMissing ? requested.data?.id : known?.id;
  const key: ViewKey = { set_id: set.id, profile_view_id: id ?? NO_VIEW };
  const view = useQuery({
    ...profileViewQuery(key),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => state.data !== undefined && isUnderWay(state.data) && POLL_MS,
  });
  const readable = view.data !== undefined && isReadable(view.data);
  const summary = useQuery({ ...summaryQuery(key), enabled: readable });
  const whole = useWholeSummary(set, wanted);
  const error =
    requested.error ??
    view.error ??
    summary.error ??
    (isMissing && frozen ? new Error('This view is not part of the report.') : null) ??
    failureOf(view.data);
  const loaded =
    view.data && readable && summary.data
      ? { key, view: view.data, summary: summary.data, whole }
      : null;
  const again = () => {
    void requested.refetch().then(() => view.refetch());
    if (summary.error) void summary.refetch();
  };
  return { loaded, error: loaded ? null : error, again };
}

const isRequested = ({ state }: ProfileView): boolean =>
  state !== 'not-built' && state !== 'failed' && state !== 'cancelled';

function useWholeSummary(set: ProfileSet, wanted: WantedView): ProfileViewSummary | null {
  const isFiltered = wanted.labels.length > 0;
  const view = isFiltered
    ? findView(set.views, { ...wanted, granularity: 'function', labels: [] })
    : null;
  const summary = useQuery({
    ...summaryQuery({ set_id: set.id, profile_view_id: view?.id ?? NO_VIEW }),
    enabled: view !== null && isReadable(view),
  });
  return view === null ? null : (summary.data ?? null);
}

function failureOf(view: ProfileView | undefined): Error | null {
  if (view?.state !== 'failed' && view?.state !== 'cancelled') return null;
  const { state, problem } = view;
  if (problem) return Object.assign(new Error(problem.detail), { facts: problem });
  return new Error(state === 'cancelled' ? 'It was cancelled.' : 'No error message recorded.');
}
