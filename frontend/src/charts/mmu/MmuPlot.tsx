/**
 * Minimum mutator utilization: the share of the processors that the program has at least in the
 * worst window of each length, from 10 µs to 1 s on a log axis. Base and candidate have bands; the
 * values of one window length are shown.
 */
import { useRef, useState, type ReactElement } from 'react';
import { formatShare, formatValue } from '../../engine/format/format';
import { useWidth } from '../plot/color-tokens';
import css from '../plot/plot.module.css';

type Row = (number | null)[] | null;
type MmuPlotProps = {
  windowNs: number[];
  base: Row;
  candidate: Row;
  baseLow: Row;
  baseHigh: Row;
  candidateLow: Row;
  candidateHigh: Row;
  /** Whether base is the only side, so that it has no name. */
  single?: boolean;
  label: string;
};

const HEIGHT = 196;
const LEFT = 44;
const TOP = 8;
const BOTTOM = 26;
const SHARES = [0, 0.25, 0.5, 0.75, 1];
/** Window length shown by default: at 10 ms, the GC affects requests of a few milliseconds. */
const USUAL_NS = 1e7;

export function MmuPlot(props: MmuPlotProps): ReactElement {
  const { windowNs, base, candidate, label } = props;
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host, 672);
  const [pointed, setPointed] = useState<number | null>(null);
  const right = width < 480 ? 8 : 24;
  const [first, last] = [windowNs[0] ?? 1e4, windowNs[windowNs.length - 1] ?? 1e9];
  const along = (ns: number) => Math.log(ns / first) / Math.log(Math.max(last, first * 10) / first);
  const x = (ns: number) => LEFT + along(ns) * (width - LEFT - right);
  const y = (share: number) =>
    TOP + (1 - Math.max(0, Math.min(1, share))) * (HEIGHT - TOP - BOTTOM);
  const line = (row: Row): string => {
    let pen = 'M';
    return (row ?? [])
      .map((share, at) => {
        if (share === null) {
          pen = 'M';
          return '';
        }
        const step = `${pen}${x(windowNs[at] ?? first)} ${y(share)}`;
        pen = 'L';
        return step;
      })
      .join('');
  };
  const band = (low: Row, high: Row): string => {
    if (!low || !high) return '';
    const known = windowNs.flatMap((ns, at) => {
      const [below, above] = [low[at], high[at]];
      return typeof below === 'number' && typeof above === 'number' ? [{ ns, below, above }] : [];
    });
    if (known.length < 2) return '';
    const upper = known.map(({ ns, above }, at) => `${at ? 'L' : 'M'}${x(ns)} ${y(above)}`);
    const lower = known.map(({ ns, below }) => `L${x(ns)} ${y(below)}`).reverse();
    return `${upper.join('')}${lower.join('')}Z`;
  };
  const readAt = nearest(windowNs, pointed ?? USUAL_NS);
  const labels = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9].filter(
    (ns) => ns >= first * 0.999 && ns <= last * 1.001,
  );
  const point = (clientX: number) => {
    const left = host.current?.getBoundingClientRect().left ?? 0;
    const part = (clientX - left - LEFT) / (width - LEFT - right);
    setPointed(first * (last / first) ** Math.max(0, Math.min(1, part)));
  };
  return (
    <div ref={host}>
      <svg
        className={css.plot}
        height={HEIGHT}
        role="img"
        aria-label={label}
        onPointerMove={(event) => point(event.clientX)}
        onPointerLeave={() => setPointed(null)}
      >
        {SHARES.map((share) => (
          <g key={share}>
            <path
              d={`M${LEFT} ${y(share)}H${width - right}`}
              className={share === 0 ? css.axis : css.grid}
            />
            <text x={LEFT - 8} y={y(share) + 4} textAnchor="end">
              {share * 100}%
            </text>
          </g>
        ))}
        {labels.map((ns) => (
          <text key={ns} x={x(ns)} y={HEIGHT - 8} textAnchor={ns === last ? 'end' : 'middle'}>
            {formatValue(ns, 'ns')}
          </text>
        ))}
        <path d={band(props.baseLow, props.baseHigh)} className={css.baseBand} />
        <path d={line(base)} className={props.single ? `${css.line} ${css.noise}` : css.baseLine} />
        <g className={css.noise}>
          <path d={band(props.candidateLow, props.candidateHigh)} className={css.band} />
          <path d={line(candidate)} className={css.line} />
        </g>
        {readAt >= 0 && (
          <ReadOut {...props} at={readAt} x={x(windowNs[readAt]!)} width={width} y={y} />
        )}
      </svg>
    </div>
  );
}

function nearest(windows: number[], ns: number): number {
  let best = -1;
  for (const [at, window] of windows.entries()) {
    if (best < 0 || Math.abs(Math.log(window / ns)) < Math.abs(Math.log(windows[best]! / ns)))
      best = at;
  }
  return best;
}

const PLATE_PX = 168;

function ReadOut(
  props: MmuPlotProps & { at: number; x: number; width: number; y: (share: number) => number },
) {
  const { at, x, width } = props;
  const side = (name: 'base' | 'candidate') => {
    const share = props[name]?.[at];
    if (typeof share !== 'number') return '';
    return props.single ? `at least ${formatShare(share)}` : `${name} ${formatShare(share)}`;
  };
  const texts = [side('base'), side('candidate')].filter((text) => text !== '').join(', ');
  if (texts === '') return null;
  const left = x + 10 + PLATE_PX > width ? x - 10 - PLATE_PX : x + 8;
  const top = HEIGHT - BOTTOM - 44;
  return (
    <g pointerEvents="none">
      <path d={`M${x} ${TOP}V${HEIGHT - BOTTOM}`} className={css.cursor} />
      <rect x={left} y={top} width={PLATE_PX} height={36} className={css.plate} />
      <text x={left + 4} y={top + 14} className={`${css.ink} ${css.strong}`}>
        {formatValue(props.windowNs[at]!, 'ns')} windows
      </text>
      <text x={left + 4} y={top + 29}>
        {texts}
      </text>
    </g>
  );
}
