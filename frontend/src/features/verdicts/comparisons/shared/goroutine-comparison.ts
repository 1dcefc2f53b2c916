/**
 * A separate comparison of the goroutine profiles of the builds whose traces are compared. It is
 * created once and reused.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem, calls } from '../../../../api';
import { EMPTY_VIEW } from '../../../../engine/flame/flame-view';
import { exactSearch } from '../../../../engine/flame/name-pattern';
import type { GoroutineWays, ProfileSides } from '../../../evidence/exec_traces';
import { PROFILES } from './artifact-kinds';
import { DEFAULT_VIEW, type ComparisonView } from './comparison-url';

/** Links and callbacks from a comparison to other pages. */
export type ComparisonLinks = {
  /** Opens another comparison, in its default view if none is given. */
  onOpen: (id: string, view?: ComparisonView) => void;
  /** A link to the page of a file. */
  file: (artifactId: string, words: string) => ReactNode;
  /** A link to the page of one distributed trace. */
  distributedTrace: (artifactId: string, traceId: string, words: string) => ReactNode;
};

type Asked = { sides: ProfileSides; group: string };

export function useGoroutines(mayWrite: boolean, { onOpen, file }: ComparisonLinks): GoroutineWays {
  const client = useQueryClient();
  const ask = useMutation({
    mutationFn: ({ sides }: Asked) => compareOnce(sides),
    onSuccess: ({ id }, { group }) => {
      void client.invalidateQueries({ queryKey: ['comparison', 'list'] });
      onOpen(id, {
        ...DEFAULT_VIEW,
        part: PROFILES,
        kind: 'goroutine',
        flame: { ...EMPTY_VIEW, search: exactSearch(group) },
      });
    },
  });
  return {
    compare: mayWrite ? (sides, group) => ask.mutate({ sides, group }) : null,
    opening: ask.isPending,
    error: ask.error,
    file,
  };
}

/**
 * Creates a comparison at most once: the same profiles and labels have the same idempotency key.
 */
async function compareOnce(sides: ProfileSides) {
  const side = ({ artifact_ids, label }: ProfileSides['base']) => ({
    artifact_ids,
    label: label || null,
  });
  const name = `Goroutines: ${sides.base.label || 'base'} vs. ${sides.candidate.label || 'candidate'}`;
  const body = {
    name: name.slice(0, NAME_MOST),
    base: side(sides.base),
    candidate: side(sides.candidate),
  };
  try {
    const key = `goroutines ${keyOf(JSON.stringify(body))}`;
    return await calls.comparisonsCreate({ body, headers: { 'Idempotency-Key': key } });
  } catch (error) {
    // The comparison with this key was deleted.
    if (error instanceof Problem && error.status === 404) return calls.comparisonsCreate({ body });
    throw error;
  }
}

const NAME_MOST = 200;

/**
 * Returns a key for a text: two FNV-1a hashes of 32 bits, one of the text reversed. A team has few
 * such texts.
 */
function keyOf(text: string): string {
  const half = (from: number, step: number) => {
    let hash = 0x811c9dc5;
    for (let at = from; at >= 0 && at < text.length; at += step) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    return (hash >>> 0).toString(16).padStart(8, '0');
  };
  return half(0, 1) + half(text.length - 1, -1);
}
