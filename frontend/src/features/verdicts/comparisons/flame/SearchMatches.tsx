/** The matches of a search in the flame graph. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SearchTotals } from '../../../../charts';
import type { FlameView } from '../../../../engine/flame/flame-view';
import { readFunctions } from '../../../../engine/flame/function-table';
import { formatShare } from '../../../../engine/format/format';
import { countOf } from '../../../../ui';
import { patternError } from './FlameToolbar';
import { searchQuery } from '../shared/comparison-queries';

type MatchesProps = {
  view: { comparison_id: string; view_id: string };
  flame: FlameView;
  functions: ArrayBuffer | null;
  local: SearchTotals | null;
};

/**
 * Shows "2 frames: 2.8% of base, 25.2% of candidate": the totals of the server over all nodes, also
 * those that no chunk has.
 */
export function SearchMatches({ view, flame, functions, local }: MatchesProps) {
  const { pattern, regex, caseSensitive } = flame.search;
  const filtered =
    flame.focus !== '' || flame.ignore !== '' || flame.hide !== '' || flame.sandwich !== '';
  const found = useQuery({
    ...searchQuery(view, { pattern, regex, case: caseSensitive }),
    // An invalid pattern is already reported here, so the server does not need to reject it too.
    enabled: pattern !== '' && !filtered && !(regex && patternError(pattern) !== undefined),
  });
  const header = useMemo(() => (functions ? readFunctions(functions).header : null), [functions]);
  if (pattern === '') return null;
  if (local?.error) return <span className="err">{local.error}</span>;
  const totals =
    found.data && header
      ? {
          frames: found.data.nodes,
          base: header.base.total_raw > 0 ? found.data.base_raw / header.base.total_raw : 0,
          candidate:
            header.candidate.total_raw > 0
              ? found.data.candidate_raw / header.candidate.total_raw
              : 0,
        }
      : local && { frames: local.frames, base: local.baseShare, candidate: local.candidateShare };
  if (!totals) return <>searching</>;
  if (totals.frames === 0) return <>no frame matches</>;
  return (
    <>
      {countOf(totals.frames, 'frame')}: {formatShare(totals.base)} of base,{' '}
      {formatShare(totals.candidate)} of candidate
    </>
  );
}
