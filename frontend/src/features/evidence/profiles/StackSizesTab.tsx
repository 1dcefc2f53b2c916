/** The stack depth of a set's hot paths. A job computes it from the executable of the profiles. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { asBytes, calls, type HotPath } from '../../../api';
import { EmptyState, ErrorState, HelpLink, Section, SkeletonRows } from '../../../ui';
import HotPaths from './HotPaths';
import type { OpenedSet } from './profile-context';
import {
  createProfileExport,
  isUnderWay,
  readProfileExport,
  type WantedView,
} from './profile-queries';

const POLL_MS = 500;

type TabProps = { opened: OpenedSet; wanted: WantedView };

export default function StackSizesTab({ opened: { set }, wanted }: TabProps) {
  const { kind, sampleType, labels } = wanted;
  const asked = useMutation({
    mutationFn: () =>
      createProfileExport(set.id, { format: 'stack-sizes', kind, sample_type: sampleType, labels }),
  });
  const ask = asked.mutate;
  useEffect(() => ask(), [ask, set.id, kind, sampleType, labels]);
  const id = asked.data?.id;
  const made = useQuery({
    queryKey: ['export', id],
    queryFn: ({ signal }) => readProfileExport(set.id, id ?? '', signal),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data === undefined || isUnderWay(state.data)) && POLL_MS,
  });
  const isDone = made.data?.state === 'done';
  const content = useQuery({
    queryKey: ['export', id, 'content'],
    queryFn: async ({ signal }) => {
      const path = { set_id: set.id, profile_export_id: id ?? '' };
      const bytes = await calls.profileExportsContent({ path, signal, ...asBytes });
      const text = new TextDecoder().decode(bytes as unknown as ArrayBuffer);
      return JSON.parse(text) as { hot_paths: HotPath[] };
    },
    enabled: isDone,
    staleTime: Infinity,
  });
  const problem = made.data?.problem;
  const failed = problem ? Object.assign(new Error(problem.detail), { facts: problem }) : null;
  const error = asked.error ?? made.error ?? content.error ?? failed;
  return (
    <Section
      title="Stack depth of the hottest paths"
      aside="paths with at least 1% of the samples"
      controls={<HelpLink topic="compiler" />}
    >
      {error ? (
        <ErrorState what="No stack sizes" error={error} />
      ) : !content.data ? (
        <SkeletonRows rows={10} label="Reading the executable" />
      ) : content.data.hot_paths.length === 0 ? (
        <EmptyState>No path of a goroutine has 1% of the samples.</EmptyState>
      ) : (
        <HotPaths paths={content.data.hot_paths} />
      )}
    </Section>
  );
}
