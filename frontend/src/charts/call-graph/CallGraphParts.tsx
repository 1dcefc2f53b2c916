/** The functions and calls of a call graph, as shapes. */
import type { KeyboardEvent } from 'react';
import { callKey, type CallGraphFills } from '../../engine/flame/call-graph-fills';
import { visibleName } from '../../engine/flame/frame-label';
import classes from './call-graph.module.css';
import type { PlacedGraph, PlacedNode } from './call-graph-layout';
import { changeColors, lineColor } from './change-colors';

const CODE_FONT = 'JetBrains Mono Variable, ui-monospace, monospace';
const UI_FONT = 'Inter Variable, system-ui, sans-serif';
/** Returns styles, because the style sheet of the page overrides attributes. */
const textStyle = (fill: string, fontSize: number, fontFamily: string) => ({
  fill,
  fontSize,
  fontFamily,
  // Character widths are proportional at every scale, so that names fit their boxes.
  textRendering: 'geometricPrecision' as const,
});
/** Line width from which a call has its value beside it; more values would overlap. */
const VALUE_FROM_PX = 1.5;
const BAR_PX = 3;

type EdgesProps = {
  placed: PlacedGraph;
  focused: number | null;
  /** Changes of the calls; null if no change is shown. */
  fills: CallGraphFills | null;
};

/** Lines from callers to callees; dashed if functions between them are left out. */
export function CallGraphEdges({ placed, focused, fills }: EdgesProps) {
  return (
    <g aria-hidden="true">
      <defs>
        <marker
          id="call-graph-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8z" fill="var(--control)" />
        </marker>
        <pattern id="call-graph-hatch" width="6" height="6" patternUnits="userSpaceOnUse">
          <path d="M-1 7L7 -1" stroke="var(--m3)" strokeWidth="1.2" />
        </pattern>
      </defs>
      {placed.edges.map(({ caller, callee, path, linePx, indirect, x, y, value }) => {
        const near = focused !== null && (caller === focused || callee === focused);
        return (
          <g key={`${caller} ${callee}`}>
            <path
              d={path}
              fill="none"
              stroke={near ? 'var(--accent)' : lineColor(fills?.calls.get(callKey(caller, callee)))}
              strokeWidth={linePx}
              strokeDasharray={indirect ? '5 4' : undefined}
              markerEnd="url(#call-graph-arrow)"
            />
            {(linePx >= VALUE_FROM_PX || near) && (
              <text x={x + 4 + linePx / 2} y={y + 4} style={textStyle('var(--muted)', 11, UI_FONT)}>
                {value}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

type NodeProps = {
  node: PlacedNode;
  /** One of `FILL`; undefined if no change is shown. */
  fill: number | undefined;
  selected: boolean;
  /** Whether the Tab key focuses it; the arrow keys focus the others. */
  reachable: boolean;
  description: string;
  onFocus: () => void;
  onSelect: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

export function CallGraphNode(props: NodeProps) {
  const { node, fill, selected, reachable, description, onFocus, onSelect, onKeyDown } = props;
  const { x, y, width, height, fontPx, lines, runtime } = node;
  const [name = '', ...values] = lines;
  const colors = changeColors(fill, runtime);
  return (
    <g
      className={classes.node}
      data-node={node.name}
      role="button"
      aria-label={description}
      aria-pressed={selected}
      tabIndex={reachable ? 0 : -1}
      onClick={onSelect}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
    >
      <title>{visibleName(node.text, 2000)}</title>
      <rect
        x={x}
        y={y}
        width={width}
        height={height}
        rx="3"
        fill={colors.fill}
        stroke={selected ? 'var(--accent)' : colors.stroke}
        strokeWidth={selected ? 2 : 1}
        strokeDasharray={colors.isDashed ? '3 2.5' : undefined}
      />
      {colors.isHatched && (
        <rect x={x} y={y} width={width} height={height} rx="3" fill="url(#call-graph-hatch)" />
      )}
      {colors.bar !== null && (
        <rect
          x={x}
          y={colors.bar === 'more' ? y : y + height - BAR_PX}
          width={width}
          height={BAR_PX}
          fill={`var(--${colors.bar})`}
        />
      )}
      <text
        x={x + width / 2}
        y={y + 4 + fontPx}
        textAnchor="middle"
        style={textStyle(colors.ink, fontPx, CODE_FONT)}
      >
        {name}
      </text>
      {values.map((line, at) => (
        <text
          key={line}
          x={x + width / 2}
          y={y + 4 + fontPx * 1.3 + 11 + at * 14}
          textAnchor="middle"
          style={textStyle(
            colors.ink === 'var(--text)' ? 'var(--text-2)' : colors.ink,
            11,
            UI_FONT,
          )}
        >
          {line}
        </text>
      ))}
    </g>
  );
}
