/**
 * The table of functions, linked with the graph: both show the same search, and a row can zoom the
 * graph to its function.
 */
import { useCallback, useEffect, useMemo, useRef, type RefObject } from 'react';
import type { FlameGraphHandle } from '../../../../charts';
import type { FlameView } from '../../../../engine/flame/flame-view';
import {
  compilePattern,
  exactSearch,
  exactly,
  isQuick,
} from '../../../../engine/flame/name-pattern';
import { FunctionsTable } from './FunctionsTable';
import type { ComparisonView } from '../shared/comparison-url';

type TableProps = {
  buffer: ArrayBuffer;
  view: ComparisonView;
  change: (changed: Partial<ComparisonView>) => void;
  marked: string | null;
  onHover: (name: string | null) => void;
  graph: RefObject<FlameGraphHandle | null>;
};

export function LinkedFunctionsTable({ buffer, view, change, marked, onHover, graph }: TableProps) {
  const { search, basis } = view.flame;
  // A click on a row searches for exactly its function; the table must not shrink to that one row.
  const selected = clickedName(search);
  const matching = useMemo(() => (selected === '' ? matcherOf(search) : null), [selected, search]);
  const flame = useRef(view.flame);
  useEffect(() => {
    flame.current = view.flame;
  });
  const select = useCallback(
    (name: string) => {
      const chosen = exactSearch(name);
      const same = flame.current.search.pattern === chosen.pattern;
      change({
        flame: {
          ...flame.current,
          search: same ? { ...chosen, pattern: '', caseSensitive: false } : chosen,
        },
      });
    },
    [change],
  );
  const zoom = (name: string) => void graph.current?.zoomToFunction(name);
  const around = useCallback(
    (sandwich: string) => change({ flame: { ...flame.current, sandwich } }),
    [change],
  );
  const lines = useCallback((name: string) => change({ lines: name, assembly: false }), [change]);
  return (
    <FunctionsTable
      buffer={buffer}
      basisId={basis}
      sort={view.sort}
      matching={matching}
      selected={selected}
      marked={marked}
      onSort={(sort) => change({ sort })}
      onSelect={select}
      onZoom={zoom}
      onAround={around}
      onLines={lines}
      onHover={onHover}
    />
  );
}

/** Returns the function of a search that a click on its row made; '' for one that was typed. */
function clickedName({ pattern, regex }: FlameView['search']): string {
  const name = pattern.slice(1, -1).replace(/\\(.)/gu, '$1');
  return regex && exactly(name) === pattern ? name : '';
}

/**
 * Returns the pattern for the table; null if there is none, if it is invalid (the field shows why),
 * or if it could block the page: the worker of the graph still searches for it.
 */
function matcherOf(search: FlameView['search']): RegExp | null {
  if (!isQuick(search)) return null;
  try {
    return compilePattern(search);
  } catch {
    return null;
  }
}
