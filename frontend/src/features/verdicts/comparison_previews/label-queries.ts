/**
 * Query of the labels of the samples of artifacts, largest value first. They are in the summary of
 * the profile set.
 */
import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';

/** The interval at which the state of a profile set is requested. */
const STEP_MS = 150;
/** The maximum number of artifacts in a profile set. */
const MOST_ARTIFACTS = 200;

type Read = { state: string };

/** Repeats a request until its result is done. */
async function waitUntilDone<T extends Read>(
  first: T,
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  let row = first;
  while (row.state !== 'done') {
    if (row.state === 'failed' || row.state === 'cancelled')
      throw new Error('The labels of these profiles could not be read.');
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    signal.throwIfAborted();
    row = await read();
  }
  return row;
}

async function readLabels(artifact_ids: string[], signal: AbortSignal) {
  const opened = await calls.profileSetsCreate({ body: { artifact_ids }, signal });
  const set_id = opened.id;
  const readSet = () => calls.profileSetsGet({ path: { set_id }, signal });
  const { kinds, views } = await waitUntilDone(opened, readSet, signal);
  const [first] = kinds;
  if (!first) return [];
  const { kind, default_sample_type: sample_type } = first;
  const existing = views.find(
    (view) => view.kind === kind && view.sample_type === sample_type && view.labels.length === 0,
  );
  const view =
    existing ??
    (await calls.profileViewsCreate({
      path: { set_id },
      body: { kind, sample_type, granularity: 'function' },
      signal,
    }));
  const path = { set_id, profile_view_id: view.id };
  await waitUntilDone(view, () => calls.profileViewsGet({ path, signal }), signal);
  return (await calls.profileViewsSummary({ path, signal })).labels;
}

export const sideLabelsQuery = (artifact_ids: string[]) =>
  queryOptions({
    queryKey: ['comparison-preview', 'labels', artifact_ids],
    enabled: artifact_ids.length > 0,
    queryFn: ({ signal }) => readLabels(artifact_ids.slice(0, MOST_ARTIFACTS), signal),
    // Labels of stored artifacts never change.
    staleTime: Infinity,
    retry: false,
  });
