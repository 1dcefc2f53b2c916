/** The paints as SVG patterns for bars and legends; they look the same as on the canvas. */
import type { ReactElement } from 'react';
import { PATTERNS, type OccupantPattern } from '../../engine/timeline/p-occupancy';
import { PATTERN_STYLES, STROKES, TILE_PX } from './occupancy-patterns';

export function PatternDefs({ id }: { id: string }): ReactElement {
  return (
    <defs>
      {PATTERNS.map((paint) => {
        const { fill, pattern, ink } = PATTERN_STYLES[paint];
        if (fill === null || pattern === 'none') return null;
        return (
          <pattern
            key={paint}
            id={`${id}-${paint}`}
            width={TILE_PX}
            height={TILE_PX}
            patternUnits="userSpaceOnUse"
          >
            <rect width={TILE_PX} height={TILE_PX} fill={`var(--${fill})`} />
            {pattern === 'dots' ? (
              <path d="M1 1h1.4v1.4H1zM4 4h1.4v1.4H4z" fill={`var(--${ink})`} />
            ) : (
              <path d={STROKES[pattern]} stroke={`var(--${ink})`} strokeWidth="1.1" fill="none" />
            )}
          </pattern>
        );
      })}
    </defs>
  );
}

/** Returns the fill and the outline of a rectangle with a paint. */
export function svgPaint(id: string, paint: OccupantPattern) {
  const { fill, pattern, outline, dashed } = PATTERN_STYLES[paint];
  return {
    fill: fill === null ? 'none' : pattern === 'none' ? `var(--${fill})` : `url(#${id}-${paint})`,
    stroke: outline === null ? 'none' : `var(--${outline})`,
    strokeDasharray: dashed ? '2 2' : undefined,
  };
}

/** A legend's swatch. It includes the patterns, so it works anywhere. */
export function PatternSwatch({ paint, id }: { paint: OccupantPattern; id: string }): ReactElement {
  return (
    <svg width={12} height={12} aria-hidden="true" style={{ flex: 'none' }}>
      <PatternDefs id={id} />
      <rect x={0.5} y={0.5} width={11} height={11} {...svgPaint(id, paint)} />
    </svg>
  );
}
