/** The data of a computed view: its tree as far as it is loaded, and its table of functions. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ProfileView } from '../../../api';
import type { FlameSource } from '../../../charts';
import { readDiffPart } from '../../../engine/flame/diff-part';
import { mergePart, openTree, type DiffTree } from '../../../engine/flame/diff-tree';
import { readFunctions, type FunctionTable } from '../../../engine/flame/function-table';
import { isUnderWay, subtreeQuery, viewPartQuery, type ViewKey } from './profile-queries';

export type ProfileData = {
  source: FlameSource | null;
  /** For the call graph and the lists of callers; null until the first part is loaded. */
  tree: DiffTree | null;
  table: FunctionTable | null;
  error: Error | null;
  again: () => void;
};

type Read<T> = { value: T | null; error: Error | null };

/** Returns a parse error as a value, so that the page can show it. */
function attempt<T>(read: () => T | null): Read<T> {
  try {
    return { value: read(), error: null };
  } catch (cause) {
    return { value: null, error: cause instanceof Error ? cause : new Error(String(cause)) };
  }
}

export function useProfileData(key: ViewKey, view: ProfileView): ProfileData {
  const client = useQueryClient();
  const first = useQuery(viewPartQuery(key, 'first'));
  const rest = useQuery({
    ...viewPartQuery(key, 'rest'),
    enabled: view.has_more_chunks && first.data !== undefined,
  });
  const functions = useQuery(viewPartQuery(key, 'functions'));
  const isBuilding = isUnderWay(view);
  const { set_id, profile_view_id } = key;
  const source = useMemo((): FlameSource | null => {
    if (!first.data) return null;
    const path = { set_id, profile_view_id };
    const loaded = rest.error ? 'failed' : rest.data ? 'loaded' : 'loading';
    return {
      key: `${set_id}/${profile_view_id}`,
      first: first.data,
      rest: rest.data ?? null,
      restState: view.has_more_chunks ? loaded : isBuilding ? 'loading' : 'none',
      loadSubtree: (node) => client.query(subtreeQuery(path, node)),
    };
  }, [
    first.data,
    rest.data,
    rest.error,
    set_id,
    profile_view_id,
    view.has_more_chunks,
    isBuilding,
    client,
  ]);
  const tree = useMemo(
    () =>
      attempt(() => {
        if (!first.data) return null;
        const opened = openTree(readDiffPart(first.data));
        return rest.data ? mergePart(opened, readDiffPart(rest.data)) : opened;
      }),
    [first.data, rest.data],
  );
  const table = useMemo(
    () => attempt(() => (functions.data ? readFunctions(functions.data) : null)),
    [functions.data],
  );
  return {
    source,
    tree: tree.value,
    table: table.value,
    error: first.error ?? functions.error ?? table.error ?? tree.error,
    again: () => void Promise.all([first.refetch(), functions.refetch()]),
  };
}
