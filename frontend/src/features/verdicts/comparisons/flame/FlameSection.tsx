/**
 * The diff of one view: toolbar, graph, table and lines. All of them read and write the view in the
 * URL.
 */
import { Button, SegmentedControl } from '@mantine/core';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import {
  Suspense,
  lazy,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import type { Comparison, ViewDescription } from '../../../../api';
import type { FlameGraphHandle, FlameSource, SearchTotals } from '../../../../charts';
import type { FlameView } from '../../../../engine/flame/flame-view';
import { readFunctions } from '../../../../engine/flame/function-table';
import { ErrorState, ProblemBoundary, SkeletonRows, useIsSnapshot } from '../../../../ui';
import { DiffCallGraph } from './DiffCallGraph';
import { CodeHostEntry } from '../functions/FunctionSourceSides';
import { FilterChips, FlameToolbar } from './FlameToolbar';
import { LinkedFunctionsTable } from '../functions/LinkedFunctionsTable';
import { SearchMatches } from './SearchMatches';
import { SourceLinesDrawer } from '../functions/SourceLinesDrawer';
import cause from '../findings/CausePanel.module.css';
import classes from '../shared/Page.module.css';
import { flameAtFinding, viewOfFlame, type FindingZoom } from '../shared/finding-zoom';
import { scaleOf } from '../functions/function-rows';
import { isUnderWay, subtreeQuery, viewPartQuery } from '../shared/comparison-queries';
import type { ComparisonView } from '../shared/comparison-url';
import { sampleTypesOf } from '../shared/selected-view';
import { categoryLabel } from '../shared/comparison-wording';

/**
 * Below verdict, findings and caveats, the graph ends at the bottom of a usual screen; deeper
 * stacks scroll inside.
 */
const GRAPH_HEIGHT = 470;

/** Loaded at the same time as the numbers, because most readers of a comparison view its graph. */
const loading = import('../../../../charts/flame/FlameGraph');
loading.catch(() => undefined); // the error is shown in place of the graph
const FlameGraph = lazy(async () => ({ default: (await loading).FlameGraph }));

/**
 * Returns the trees of a view: the first chunk, the rest if there is more, and subtrees on request.
 */
function useFlameSource(comparisonId: string, view: ViewDescription) {
  const { id, has_more_chunks } = view;
  const isBuilding = isUnderWay(view);
  const client = useQueryClient();
  const key = useMemo(() => ({ comparison_id: comparisonId, view_id: id }), [comparisonId, id]);
  const first = useQuery(viewPartQuery(key, 'first'));
  const rest = useQuery({
    ...viewPartQuery(key, 'rest'),
    enabled: has_more_chunks && first.data !== undefined,
  });
  const source = useMemo((): FlameSource | null => {
    if (!first.data) return null;
    const loaded = rest.data ? 'loaded' : 'loading';
    return {
      key: `${key.comparison_id}/${key.view_id}`,
      first: first.data,
      rest: has_more_chunks ? (rest.data ?? null) : null,
      restState: rest.error ? 'failed' : has_more_chunks || isBuilding ? loaded : 'none',
      loadSubtree: (node) => client.query(subtreeQuery(key, node)),
    };
  }, [first.data, rest.data, rest.error, key, has_more_chunks, isBuilding, client]);
  return { key, first, source };
}

/**
 * Returns callbacks that change the newest view. They do not change while the graph is dragged, so
 * children are not rendered again.
 */
function useViewChanges(
  view: ComparisonView,
  onView: (view: ComparisonView, replace?: boolean) => void,
  zoom: FindingZoom | null,
) {
  const latest = useRef({ view, onView, zoom });
  useEffect(() => {
    latest.current = { view, onView, zoom };
  });
  const change = useCallback((changed: Partial<ComparisonView>) => {
    const { view: newest, onView: notify } = latest.current;
    notify({ ...newest, ...changed });
  }, []);
  const setFlame = useCallback((flame: FlameView, replace = false) => {
    const { view: newest, onView: notify, zoom: finding } = latest.current;
    notify(viewOfFlame(newest, flame, finding), replace);
  }, []);
  return { change, setFlame };
}

type SectionProps = {
  comparison: Comparison;
  description: ViewDescription;
  view: ComparisonView;
  onView: (view: ComparisonView, replace?: boolean) => void;
  graph: RefObject<FlameGraphHandle | null>;
  /** The finding to which the graph is zoomed at first. */
  zoom: FindingZoom | null;
  /** The explanation that is shown beside the graph. */
  beside: ReactNode;
};

export function FlameSection({ comparison, description, view, onView, ...props }: SectionProps) {
  const { graph, zoom, beside } = props;
  const isSnapshot = useIsSnapshot();
  const { key, first, source } = useFlameSource(comparison.id, description);
  const functions = useQuery(viewPartQuery(key, 'functions'));
  const [hovered, setHovered] = useState<string | null>(null);
  const [inGraph, setInGraph] = useState<string | null>(null);
  const [totals, setTotals] = useState<SearchTotals | null>(null);
  const [collapsed, setCollapsed] = useState(0);
  const flame = useMemo(() => flameAtFinding(view, zoom), [view, zoom]);

  const { change, setFlame } = useViewChanges(view, onView, zoom);
  const matches = (
    <SearchMatches view={key} flame={flame} functions={functions.data ?? null} local={totals} />
  );
  const highlighted = useMemo(() => (hovered ? [hovered] : []), [hovered]);
  return (
    <>
      <div className={beside === null ? undefined : cause.beside}>
        <div>
          <FlameToolbar
            view={description}
            sampleTypes={sampleTypesOf(comparison.views, description.kind)}
            flame={flame}
            matches={matches}
            onFlame={setFlame}
            onSampleType={(sampleType) =>
              change({ sampleType, flame: { ...view.flame, basis: '' } })
            }
          />
          <FilterChips
            flame={flame}
            onFlame={setFlame}
            finding={flame.zoom === zoom?.key ? zoom.number : null}
            callers={collapsed}
          />
          <GraphChoice calls={view.calls} onCalls={(calls) => change({ calls })} />
          <div className={classes.graph}>
            {!source && <MissingDiff first={first} />}
            {source && view.calls && (
              <ProblemBoundary what="The call graph failed" resetKey={source.key}>
                <DiffCallGraph
                  key={zoom?.name}
                  {...{ source, graph, basis: flame.basis, finding: zoom }}
                  functions={functions.data ?? null}
                />
              </ProblemBoundary>
            )}
            {source && !view.calls && (
              <ProblemBoundary what="The flame graph failed" resetKey={source.key}>
                <Suspense
                  fallback={<SkeletonRows rows={14} height={18} label="Loading the graph" />}
                >
                  <FlameGraph
                    ref={graph}
                    source={source}
                    view={flame}
                    onViewChange={setFlame}
                    highlighted={highlighted}
                    onFunctionHover={setInGraph}
                    onListLines={(lines) => change({ lines, assembly: false })}
                    onShowAssembly={
                      isSnapshot ? undefined : (lines) => change({ lines, assembly: true })
                    }
                    menuLink={(name) => (
                      <CodeHostEntry
                        comparisonId={comparison.id}
                        viewId={description.id}
                        name={name}
                      />
                    )}
                    onSearchTotals={setTotals}
                    onCallersCollapsed={setCollapsed}
                    categoryLabel={categoryLabel}
                    maxHeight={GRAPH_HEIGHT}
                  />
                </Suspense>
              </ProblemBoundary>
            )}
          </div>
        </div>
        {beside}
      </div>
      <FunctionsSection
        comparison={comparison}
        description={description}
        functions={functions}
        view={view}
        change={change}
        marked={inGraph}
        onHover={setHovered}
        graph={graph}
      />
    </>
  );
}

/** Shown in place of the graph until it is loaded. */
function MissingDiff({ first }: { first: UseQueryResult<ArrayBuffer> }) {
  if (!first.error) return <SkeletonRows rows={14} height={18} label="Loading the diff" />;
  return (
    <ErrorState
      what="Could not load the diff"
      error={first.error}
      action={<Button onClick={() => void first.refetch()}>Try again</Button>}
    />
  );
}

type ChoiceProps = { calls: boolean; onCalls: (calls: boolean) => void };

function GraphChoice({ calls, onCalls }: ChoiceProps) {
  return (
    <div className={classes.graphChoice}>
      <SegmentedControl
        size="xs"
        aria-label="Kind of graph"
        data={['Flame graph', 'Call graph']}
        value={calls ? 'Call graph' : 'Flame graph'}
        onChange={(chosen) => onCalls(chosen === 'Call graph')}
      />
    </div>
  );
}

type FunctionsProps = {
  comparison: Comparison;
  description: ViewDescription;
  functions: UseQueryResult<ArrayBuffer>;
  view: ComparisonView;
  change: (changed: Partial<ComparisonView>) => void;
  marked: string | null;
  onHover: (name: string | null) => void;
  graph: RefObject<FlameGraphHandle | null>;
};

/** The table of functions, and the lines of one of them. */
function FunctionsSection({ comparison, description, functions, ...props }: FunctionsProps) {
  const { view, change, marked, onHover, graph } = props;
  return (
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
        <ProblemBoundary what="The table failed" resetKey={description.id}>
          <LinkedFunctionsTable
            buffer={functions.data}
            view={view}
            change={change}
            marked={marked}
            onHover={onHover}
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
  );
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
      assembly={view.assembly}
      onAssembly={(assembly) => change({ assembly })}
      onClose={() => change({ lines: '', assembly: false })}
    />
  );
}
