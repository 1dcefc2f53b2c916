/** The diff of one view: toolbar, graph, table and lines, all reading and writing the one view of the address. */
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Suspense,
  lazy,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type RefObject,
} from 'react';
import type { Comparison, ViewDescription } from '../../../api';
import type { FlameGraphHandle, FlameSource, SearchTotals } from '../../../charts';
import type { FlameView } from '../../../engine/flame/flame-view';
import { formatShare } from '../../../engine/format/format';
import { compilePattern, isQuick } from '../../../engine/flame/name-pattern';
import { readFunctions } from '../../../engine/flame/function-table';
import { ErrorState, ProblemBoundary, SkeletonRows, countOf } from '../../../ui';
import { FilterChips, FlameToolbar, patternError } from './FlameToolbar';
import { FunctionsTable } from './FunctionsTable';
import { SourceLinesDrawer } from './SourceLinesDrawer';
import classes from './Page.module.css';
import { scaleOf } from './function-rows';
import { searchQuery, subtreeQuery, viewPartQuery } from './comparison-queries';
import type { ComparisonView } from './comparison-url';
import { sampleTypesOf } from './selected-view';
import { categoryLabel } from './comparison-wording';

/** With verdict, findings and caveats above, the graph ends where a usual screen does; deeper stacks scroll inside. */
const GRAPH_HEIGHT = 470;

/** Asked for while the numbers are: most readers of a comparison view its graph. */
const loading = import('../../../charts/flame/FlameGraph');
loading.catch(() => undefined); // reported in place of the graph
const FlameGraph = lazy(async () => ({ default: (await loading).FlameGraph }));

type SectionProps = {
  comparison: Comparison;
  description: ViewDescription;
  view: ComparisonView;
  onView: (view: ComparisonView) => void;
  graph: RefObject<FlameGraphHandle | null>;
};

export function FlameSection({ comparison, description, view, onView, graph }: SectionProps) {
  const key = useMemo(
    () => ({ comparison_id: comparison.id, view_id: description.id }),
    [comparison.id, description.id],
  );
  const first = useQuery(viewPartQuery(key, 'first'));
  const rest = useQuery({
    ...viewPartQuery(key, 'rest'),
    enabled: description.has_more_chunks && first.data !== undefined,
  });
  const functions = useQuery(viewPartQuery(key, 'functions'));
  const client = useQueryClient();
  const [hovered, setHovered] = useState<string | null>(null);
  const [inGraph, setInGraph] = useState<string | null>(null);
  const [totals, setTotals] = useState<SearchTotals | null>(null);

  // The newest view, for handlers that children keep: they must not change with every drag of the graph.
  const latest = useRef({ view, onView });
  useEffect(() => {
    latest.current = { view, onView };
  });
  const change = useCallback((changed: Partial<ComparisonView>) => {
    const { view: now, onView: tell } = latest.current;
    tell({ ...now, ...changed });
  }, []);
  const setFlame = useCallback(
    (flame: FlameView) => {
      change({ flame });
    },
    [change],
  );

  const source = useMemo((): FlameSource | null => {
    if (!first.data) return null;
    const restState = !description.has_more_chunks
      ? 'none'
      : rest.error
        ? 'failed'
        : rest.data
          ? 'loaded'
          : 'loading';
    return {
      key: `${key.comparison_id}/${key.view_id}`,
      first: first.data,
      rest: description.has_more_chunks ? (rest.data ?? null) : null,
      restState,
      loadSubtree: (node) => client.query(subtreeQuery(key, node)),
    };
  }, [first.data, rest.data, rest.error, key, description.has_more_chunks, client]);

  const matches = (
    <Matches view={key} flame={view.flame} functions={functions.data ?? null} local={totals} />
  );
  const highlighted = useMemo(() => (hovered ? [hovered] : []), [hovered]);
  return (
    <>
      <FlameToolbar
        view={description}
        sampleTypes={sampleTypesOf(comparison.views, description.kind)}
        flame={view.flame}
        matches={matches}
        onFlame={setFlame}
        onSampleType={(sampleType) => {
          change({ sampleType, flame: { ...view.flame, basis: '' } });
        }}
      />
      <FilterChips flame={view.flame} onFlame={setFlame} />
      <div className={classes.graph}>
        {first.error && (
          <ErrorState
            what="Could not load the diff"
            error={first.error}
            action={<Button onClick={() => void first.refetch()}>Try again</Button>}
          />
        )}
        {!source && !first.error && <SkeletonRows rows={14} height={18} label="Loading the diff" />}
        {source && (
          <ProblemBoundary what="The flame graph failed" resetKey={source.key}>
            <Suspense fallback={<SkeletonRows rows={14} height={18} label="Loading the graph" />}>
              <FlameGraph
                ref={graph}
                source={source}
                view={view.flame}
                onViewChange={setFlame}
                highlighted={highlighted}
                onFunctionHover={setInGraph}
                onListLines={(lines) => {
                  change({ lines });
                }}
                onSearchTotals={setTotals}
                categoryLabel={categoryLabel}
                maxHeight={GRAPH_HEIGHT}
              />
            </Suspense>
          </ProblemBoundary>
        )}
      </div>
      <div className={classes.table}>
        {functions.error && (
          <ErrorState
            what="Could not load the functions"
            error={functions.error}
            action={<Button onClick={() => void functions.refetch()}>Try again</Button>}
          />
        )}
        {!functions.data && !functions.error && (
          <SkeletonRows rows={12} height={26} label="Loading the functions" />
        )}
        {functions.data && (
          <ProblemBoundary what="The table failed" resetKey={source?.key}>
            <LinkedTable
              buffer={functions.data}
              view={view}
              change={change}
              marked={inGraph}
              onHover={setHovered}
              graph={graph}
            />
            <LinesPlace
              comparison={comparison}
              description={description}
              buffer={functions.data}
              view={view}
              change={change}
            />
          </ProblemBoundary>
        )}
      </div>
    </>
  );
}

type LinkedProps = {
  buffer: ArrayBuffer;
  view: ComparisonView;
  change: (changed: Partial<ComparisonView>) => void;
  marked: string | null;
  onHover: (name: string | null) => void;
  graph: RefObject<FlameGraphHandle | null>;
};

/** The search that finds exactly this function. */
export const exactly = (name: string): FlameView['search'] => ({
  pattern: `^${name.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')}$`,
  regex: true,
  caseSensitive: true,
});

function LinkedTable({ buffer, view, change, marked, onHover, graph }: LinkedProps) {
  const { search, basis } = view.flame;
  // A row that was clicked searches exactly its function; the table must not shrink to that one row.
  const single = search.pattern.startsWith('^') && search.pattern.endsWith('$');
  const matching = useMemo(() => (single ? null : matcherOf(search)), [single, search]);
  const selected = single ? search.pattern.slice(1, -1).replace(/\\(.)/gu, '$1') : '';
  const flame = useRef(view.flame);
  useEffect(() => {
    flame.current = view.flame;
  });
  const select = useCallback(
    (name: string) => {
      const chosen = exactly(name);
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
  const zoom = (name: string) => {
    void graph.current?.zoomToFunction(name);
  };
  const around = useCallback(
    (sandwich: string) => {
      change({ flame: { ...flame.current, sandwich } });
    },
    [change],
  );
  const lines = useCallback(
    (name: string) => {
      change({ lines: name });
    },
    [change],
  );
  return (
    <FunctionsTable
      buffer={buffer}
      basisId={basis}
      sort={view.sort}
      matching={matching}
      selected={selected}
      marked={marked}
      onSort={(sort) => {
        change({ sort });
      }}
      onSelect={select}
      onZoom={zoom}
      onAround={around}
      onLines={lines}
      onHover={onHover}
    />
  );
}

/**
 * The pattern as the table reads it; null for none, for one that is not valid (the field says so), and for one that could
 * hold the page up: the graph's worker still looks for it.
 */
function matcherOf(search: FlameView['search']): RegExp | null {
  if (!isQuick(search)) return null;
  try {
    return compilePattern(search);
  } catch {
    return null;
  }
}

type PlaceProps = {
  comparison: Comparison;
  description: ViewDescription;
  buffer: ArrayBuffer;
  view: ComparisonView;
  change: (changed: Partial<ComparisonView>) => void;
};

function LinesPlace({ comparison, description, buffer, view, change }: PlaceProps) {
  const scaled = useMemo(
    () => scaleOf(readFunctions(buffer), view.flame.basis),
    [buffer, view.flame.basis],
  );
  return (
    <SourceLinesDrawer
      comparisonId={comparison.id}
      viewId={description.id}
      name={view.lines}
      scaled={scaled}
      onClose={() => {
        change({ lines: '' });
      }}
    />
  );
}

type MatchesProps = {
  view: { comparison_id: string; view_id: string };
  flame: FlameView;
  functions: ArrayBuffer | null;
  local: SearchTotals | null;
};

/** "2 frames: 2.8% of base, 25.2% of candidate": the server's totals over all nodes, also those never sent. */
function Matches({ view, flame, functions, local }: MatchesProps) {
  const { pattern, regex, caseSensitive } = flame.search;
  const filtered =
    flame.focus !== '' || flame.ignore !== '' || flame.hide !== '' || flame.sandwich !== '';
  const found = useQuery({
    ...searchQuery(view, { pattern, regex, case: caseSensitive }),
    // An invalid pattern is reported in place: the server need not refuse it too.
    enabled: pattern !== '' && !filtered && !(regex && patternError(pattern) !== undefined),
  });
  const header = useMemo(() => (functions ? readFunctions(functions).header : null), [functions]);
  if (pattern === '') return null;
  if (local?.error) return <span className="err">{local.error}</span>;
  const told =
    found.data && header
      ? {
          frames: found.data.nodes,
          base: header.base.totalRaw > 0 ? found.data.base_raw / header.base.totalRaw : 0,
          candidate:
            header.candidate.totalRaw > 0
              ? found.data.candidate_raw / header.candidate.totalRaw
              : 0,
        }
      : local && { frames: local.frames, base: local.baseShare, candidate: local.candidateShare };
  if (!told) return <>searching</>;
  if (told.frames === 0) return <>no frame matches</>;
  return (
    <>
      {countOf(told.frames, 'frame')}: {formatShare(told.base)} of base,{' '}
      {formatShare(told.candidate)} of candidate
    </>
  );
}
