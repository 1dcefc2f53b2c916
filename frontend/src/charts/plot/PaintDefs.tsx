/** The paints as SVG patterns, for bars and legends: the same looks as on the canvas. */
import type { ReactElement } from 'react';
import { PAINTS, type Paint } from '../../engine/held-by';
import { LOOKS, STROKES, TILE_PX } from './paints';

export function PaintDefs({ id }: { id: string }): ReactElement {
  return (
    <defs>
      {PAINTS.map((paint) => {
        const { fill, pattern, ink } = LOOKS[paint];
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

/** What a rectangle of a paint is filled and outlined with. */
export function svgPaint(id: string, paint: Paint) {
  const { fill, pattern, outline, dashed } = LOOKS[paint];
  return {
    fill: fill === null ? 'none' : pattern === 'none' ? `var(--${fill})` : `url(#${id}-${paint})`,
    stroke: outline === null ? 'none' : `var(--${outline})`,
    strokeDasharray: dashed ? '2 2' : undefined,
  };
}

/** A legend's swatch. The patterns come along, so it stands anywhere. */
export function PaintSwatch({ paint, id }: { paint: Paint; id: string }): ReactElement {
  return (
    <svg width={12} height={12} aria-hidden="true" style={{ flex: 'none' }}>
      <PaintDefs id={id} />
      <rect x={0.5} y={0.5} width={11} height={11} {...svgPaint(id, paint)} />
    </svg>
  );
}
