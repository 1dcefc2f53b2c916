/** What a goroutine did in a gap, in order of time: a strip with its table beside it. */
import { useId, type ReactElement } from 'react';
import { formatValue } from '../../engine/format/format';
import {
  STATE_PATTERNS,
  goroutineStateLabel,
  type GoroutineState,
} from '../../engine/spans/goroutine-states';
import { PatternDefs, PatternSwatch, svgPaint } from '../plot/PatternDefs';
import css from './waterfall.module.css';

type StripPiece = { from_ns: number; to_ns: number; state: GoroutineState; reason: string };

const WIDTH = 1000;
const HEIGHT = 16;
/** Minimum width, so that thinner pieces are visible. */
const THINNEST = 1.5;

export function GapStrip({
  pieces,
  durationNs,
  label,
}: {
  pieces: readonly StripPiece[];
  durationNs: number;
  label: string;
}): ReactElement {
  const id = useId();
  const scale = WIDTH / Math.max(1, durationNs);
  return (
    <svg
      className={css.strip}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <PatternDefs id={id} />
      {pieces.map((piece) => (
        <rect
          key={piece.from_ns}
          x={piece.from_ns * scale}
          y={0.5}
          width={Math.max(THINNEST, (piece.to_ns - piece.from_ns) * scale)}
          height={HEIGHT - 1}
          {...svgPaint(id, STATE_PATTERNS[piece.state])}
        >
          <title>{`${goroutineStateLabel(piece)}: ${formatValue(piece.to_ns - piece.from_ns, 'ns')}`}</title>
        </rect>
      ))}
    </svg>
  );
}

export function StateSwatch({ state, id }: { state: GoroutineState; id: string }): ReactElement {
  return <PatternSwatch paint={STATE_PATTERNS[state]} id={id} />;
}
