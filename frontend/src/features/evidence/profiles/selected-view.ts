/** Resolves the view of a set from the URL parameters. */
import type { LabelMatcher, ProfileSet, ProfileView } from '../../../api';
import type { WantedView } from './profile-queries';
import type { ProfilePageView } from './profile-url';

/** Returns the view; empty or unknown parameters get the defaults of the set. */
export function selectView(
  { kinds }: Pick<ProfileSet, 'kinds'>,
  {
    kind,
    sampleType,
    granularity,
    labels,
  }: Pick<ProfilePageView, 'kind' | 'sampleType' | 'labels'> & Pick<WantedView, 'granularity'>,
): WantedView {
  const found = kinds.find((each) => each.kind === kind) ?? kinds[0];
  const types = found?.sample_types.map(({ type }) => type) ?? [];
  return {
    kind: found?.kind ?? '',
    sampleType: types.includes(sampleType) ? sampleType : (found?.default_sample_type ?? ''),
    granularity,
    labels,
  };
}

const labelsKey = (labels: readonly LabelMatcher[]): string =>
  labels
    .map(({ key, value }) => JSON.stringify([key, value]))
    .sort()
    .join(' ');

export function findView(
  views: readonly ProfileView[],
  { kind, sampleType, granularity, labels }: WantedView,
): ProfileView | null {
  const wanted = labelsKey(labels);
  return (
    views.find(
      (view) =>
        view.kind === kind &&
        view.sample_type === sampleType &&
        view.granularity === granularity &&
        labelsKey(view.labels) === wanted,
    ) ?? null
  );
}
