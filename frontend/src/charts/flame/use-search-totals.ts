/** Reports changes of the search totals and of the number of collapsed callers. */
import { useEffect, useRef } from 'react';
import type { Arranged } from '../../engine/flame/flame-model';
import { collapsedCount } from '../../engine/flame/collapsed-callers';
import type { FlameView } from '../../engine/flame/flame-view';
import type { SearchTotals } from './flame-props';

function totalsOf(arranged: Arranged, view: FlameView): SearchTotals | null {
  if (view.search.pattern === '') return null;
  const error = arranged.problems.find(({ field }) => field === 'search')?.message ?? null;
  const hits = arranged.hits?.[0];
  const base = hits?.base ?? 0;
  const candidate = hits?.candidate ?? 0;
  const whole = arranged.tables[0];
  const total = {
    base: arranged.header.base.total_raw || (whole?.baseTotal[0] ?? 0),
    candidate: arranged.header.candidate.total_raw || (whole?.candidateTotal[0] ?? 0),
  };
  return {
    frames: hits?.frames ?? 0,
    base,
    candidate,
    baseShare: total.base > 0 ? base / total.base : 0,
    candidateShare: total.candidate > 0 ? candidate / total.candidate : 0,
    unsearched: arranged.nodesTotal - arranged.nodesSent,
    error,
  };
}

export function useSearchTotals(
  arranged: Arranged | null,
  view: FlameView,
  onTotals: ((totals: SearchTotals | null) => void) | undefined,
): void {
  const latest = useRef(onTotals);
  const reported = useRef('');
  useEffect(() => {
    latest.current = onTotals;
  });
  useEffect(() => {
    if (arranged === null) return;
    const totals = totalsOf(arranged, view);
    const text = JSON.stringify(totals);
    if (text === reported.current) return;
    reported.current = text;
    latest.current?.(totals);
  }, [arranged, view]);
}

export function useCollapsedCount(
  arranged: Arranged | null,
  onCount: ((count: number) => void) | undefined,
): void {
  const count = arranged === null ? 0 : collapsedCount(arranged.tables[0]!);
  useEffect(() => {
    onCount?.(count);
  }, [count, onCount]);
}
