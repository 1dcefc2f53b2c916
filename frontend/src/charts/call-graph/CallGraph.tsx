/**
 * A call graph as SVG: the size of a function shows its self cost, the width of a line the cost of
 * the calls. The arrow keys reach every function; Enter selects it.
 */
import {
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type Ref,
} from 'react';
import type { CallGraphFills } from '../../engine/flame/call-graph-fills';
import type { PrunedGraph } from '../../engine/flame/call-graph-pruning';
import { visibleName } from '../../engine/flame/frame-label';
import type { UnitOf } from '../../engine/format/format';
import { useKeyHints, type KeyHintEntry } from '../../ui';
import classes from './call-graph.module.css';
import { DIRECTIONS, nextNode } from './call-graph-keys';
import { placeCallGraph, type PlacedGraph } from './call-graph-layout';
import { useCallGraphViewport } from './use-call-graph-viewport';
import { CallGraphEdges, CallGraphNode } from './CallGraphParts';
import { pngOfSvg, standaloneSvg } from './standalone-svg';

const place = 'Call graph';
const KEY_HINTS: readonly KeyHintEntry[] = [
  { keys: ['↑', '↓', '←', '→'], words: 'caller, callee, neighbours', place },
  { keys: ['Enter'], words: 'select the function', place },
];

const STEP = 1.25;

export type CallGraphHandle = {
  /** The whole graph as SVG text, without references to the page's styles. */
  exportSvg: () => string;
  exportPng: () => Promise<Blob>;
};

type CallGraphProps = {
  graph: PrunedGraph;
  unit: UnitOf;
  /** Whether the graph is of one profile; otherwise the nodes show base and candidate. */
  oneSided: boolean;
  /** Changes of the functions and calls; null if no change is shown. */
  fills?: CallGraphFills | null;
  selected: string;
  onSelect: (name: string) => void;
  label: string;
  ref?: Ref<CallGraphHandle>;
};

export function CallGraph({
  graph,
  unit,
  oneSided,
  fills = null,
  selected,
  onSelect,
  label,
  ref,
}: CallGraphProps) {
  const placed = useMemo(() => placeCallGraph(graph, unit, oneSided), [graph, unit, oneSided]);
  const svg = useRef<SVGSVGElement>(null);
  const { box, scale, zoom, fit, center, pan } = useCallGraphViewport(placed, selected);
  useImperativeHandle(ref, () => {
    const exportSvg = () => (svg.current ? standaloneSvg(svg.current) : '');
    return { exportSvg, exportPng: () => pngOfSvg(exportSvg()) };
  }, []);
  const [focused, setFocused] = useState<number | null>(null);
  useKeyHints(KEY_HINTS);
  const chosen = placed.nodes.find(({ text }) => text === selected)?.name;
  const reachable = focused ?? chosen ?? placed.nodes[0]?.name ?? -1;

  const move = (event: KeyboardEvent, name: number): void => {
    const direction = DIRECTIONS[event.key];
    const node = placed.nodes.find((each) => each.name === name);
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (node) onSelect(node.text);
    } else if (direction !== undefined) {
      event.preventDefault();
      const next = nextNode(placed, name, direction);
      if (next !== null) svg.current?.querySelector<SVGGElement>(`[data-node="${next}"]`)?.focus();
    }
  };
  return (
    <div className={classes.frame}>
      <div className={classes.tools} role="group" aria-label="Size of the graph">
        <button type="button" aria-label="Smaller" onClick={() => zoom(1 / STEP)}>
          −
        </button>
        <button type="button" aria-label="Larger" onClick={() => zoom(STEP)}>
          +
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
        <button type="button" onClick={center}>
          Center
        </button>
      </div>
      <div className={classes.scroll} ref={box} {...pan}>
        <svg
          ref={svg}
          role="group"
          aria-label={label}
          width={placed.width * scale}
          height={placed.height * scale}
          viewBox={`0 0 ${placed.width} ${placed.height}`}
        >
          <CallGraphEdges placed={placed} focused={focused} fills={fills} />
          {placed.nodes.map((node) => (
            <CallGraphNode
              key={node.name}
              node={node}
              fill={fills?.nodes.get(node.name)}
              selected={node.text === selected}
              reachable={node.name === reachable}
              description={describe(placed, node.name)}
              onFocus={() => setFocused(node.name)}
              onSelect={() => onSelect(node.text)}
              onKeyDown={(event) => move(event, node.name)}
            />
          ))}
        </svg>
      </div>
    </div>
  );
}

/** Describes a function for screen readers: its values, and how many callers and callees it has. */
function describe({ nodes, edges }: PlacedGraph, name: number): string {
  const node = nodes.find((each) => each.name === name);
  if (!node) return '';
  const callers = edges.filter(({ callee }) => callee === name).length;
  const callees = edges.filter(({ caller }) => caller === name).length;
  const values = node.lines.slice(1).join(', ');
  return `${visibleName(node.text)}, ${values}, callers: ${callers}, callees: ${callees}`;
}
