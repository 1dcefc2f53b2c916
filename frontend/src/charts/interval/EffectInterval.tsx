import type { ReactElement } from 'react';
import type { Change } from '../../engine/format/change-class';
import type { RatioAxis } from '../../engine/format/ratio-axis';
import { formatRatio, formatRatioRange } from '../../engine/format/format';
import { alongAxis } from '../../engine/format/ratio-axis';
import { SIGNIFICANT } from '../../lib/certainty';
import css from './interval.module.css';

/**
 * An effect and its interval in a row of a list: dot and whisker on a log axis that all rows share.
 *
 * - `axis`: from `ratioAxis(rows)`, the same for every row and the {@link EffectAxis} above them.
 * - `ratio`, `low`, `high`: candidate / base and its interval; null or NaN if there is none. Without
 *   a ratio the mark is a triangle at the end of the axis, never a dot.
 * - `change`: decides mark and color. A change within noise is an open gray dot.
 * - `width`, `height`: CSS pixels; the height is that of the row, so that the grid lines of the rows
 *   join.
 * - `label`: the text for screen readers instead of the default ("times 11.7, significant, 95%
 *   interval 10.1 to 13.6"), also the tooltip.
 */
type EffectIntervalProps = {
  axis: RatioAxis;
  ratio: number | null;
  low: number | null;
  high: number | null;
  change: Change;
  width?: number;
  height?: number;
  label?: string;
};

const SIDE = 16;
const CAP = 3.5;

function place(axis: RatioAxis, ratio: number, width: number): number {
  return SIDE + alongAxis(axis, ratio) * (width - 2 * SIDE);
}

function toneOf(change: Change): string {
  if (change === 'noise') return css.noise ?? '';
  return (change === 'more' || change === 'only-candidate' ? css.more : css.less) ?? '';
}

function Whisker({ axis, low, high, width, middle }: WhiskerProps): ReactElement {
  const from = place(axis, low, width);
  const to = place(axis, high, width);
  const caps = `M${from} ${middle - CAP}v${2 * CAP}M${to} ${middle - CAP}v${2 * CAP}`;
  return <path className={css.whisker} d={`M${from} ${middle}H${to}${caps}`} />;
}

type WhiskerProps = { axis: RatioAxis; low: number; high: number; width: number; middle: number };

/** The mark of an effect without a ratio, since one side has nothing: an arrow at the axis' end. */
function OneSided({
  change,
  width,
  middle,
}: {
  change: Change;
  width: number;
  middle: number;
}): ReactElement {
  if (change === 'only-base' || change === 'less') {
    return (
      <>
        <path className={css.outline} d={`M15 ${middle - 4.5}L8 ${middle}l7 4.5z`} />
        <text x={22} y={middle + 4} className={css.text}>
          no ratio
        </text>
      </>
    );
  }
  return (
    <>
      <path className={css.filled} d={`M${width - 15} ${middle - 4.5}l7 4.5-7 4.5z`} />
      <text x={width - 22} y={middle + 4} className={css.text} textAnchor="end">
        no ratio
      </text>
    </>
  );
}

type BeyondProps = { ratio: number; isHigh: boolean; width: number; middle: number };

/** The mark of a ratio outside the axis: an arrow at its end, with the value. */
function Beyond({ ratio, isHigh, width, middle }: BeyondProps): ReactElement {
  const path = isHigh
    ? `M${width - 15} ${middle - 4.5}l7 4.5-7 4.5z`
    : `M15 ${middle - 4.5}L8 ${middle}l7 4.5z`;
  return (
    <>
      <path className={css.filled} d={path} />
      <text
        x={isHigh ? width - 22 : 22}
        y={middle + 4}
        className={css.text}
        textAnchor={isHigh ? 'end' : 'start'}
      >
        {formatRatio(ratio)}
      </text>
    </>
  );
}

function finite(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && value > 0;
}

function isBeyond(axis: RatioAxis, ratio: number | null): boolean {
  return finite(ratio) && (ratio > axis.high || ratio < axis.low);
}

function describeInterval(props: EffectIntervalProps): string {
  if (!finite(props.ratio)) return 'no ratio';
  const ratio = formatRatio(props.ratio).replace('×', 'times ');
  if (!finite(props.low) || !finite(props.high)) return `${ratio}, no interval`;
  const word = props.change === 'noise' ? 'not significant' : SIGNIFICANT;
  return `${ratio}, ${word}, 95% interval ${formatRatioRange(props.low, props.high, 'sentence')}`;
}

export function EffectInterval(props: EffectIntervalProps): ReactElement {
  const { axis, ratio, low, high, change, width = 220, height = 30 } = props;
  const middle = height / 2;
  const words = props.label ?? describeInterval(props);
  return (
    <svg className={css.row} width={width} height={height} role="img" aria-label={words}>
      {finite(ratio) && <title>{words}</title>}
      {axis.ticks.map((tick) => (
        <line
          key={tick}
          className={tick === 1 ? css.axis : css.grid}
          x1={place(axis, tick, width)}
          x2={place(axis, tick, width)}
          y1={0}
          y2={height}
        />
      ))}
      <g className={toneOf(change)}>
        {finite(low) && finite(high) && !isBeyond(axis, ratio) && (
          <Whisker axis={axis} low={low} high={high} width={width} middle={middle} />
        )}
        {finite(ratio) && isBeyond(axis, ratio) ? (
          <Beyond ratio={ratio} isHigh={ratio > axis.high} width={width} middle={middle} />
        ) : finite(ratio) ? (
          <circle
            className={change === 'noise' ? css.open : css.filled}
            cx={place(axis, ratio, width)}
            cy={middle}
            r={change === 'noise' ? 3.5 : 4}
          />
        ) : (
          change !== 'noise' && <OneSided change={change} width={width} middle={middle} />
        )}
      </g>
    </svg>
  );
}

/** The head of the column: the ratios of the ticks, with the axis and width of the rows below. */
export function EffectAxis({ axis, width = 220, height = 26 }: EffectAxisProps): ReactElement {
  return (
    <svg className={css.row} width={width} height={height} aria-hidden="true">
      {ticksToName(axis, width).map((tick) => (
        <text
          key={tick}
          className={tick === 1 ? css.one : css.text}
          x={place(axis, tick, width)}
          y={height / 2 + 4}
          textAnchor="middle"
        >
          {tickText(tick)}
        </text>
      ))}
    </svg>
  );
}

type EffectAxisProps = { axis: RatioAxis; width?: number; height?: number };

/** Width of one letter of a tick's name. */
const LETTER_PX = 6.4;

/** Returns every tick, or every second, third, ... from x1, so that the longest name has room. */
function ticksToName(axis: RatioAxis, width: number): number[] {
  const { ticks } = axis;
  const apart = (width - 2 * SIDE) / Math.max(1, ticks.length - 1);
  const longest = Math.max(...ticks.map((tick) => tickText(tick).length));
  const every = Math.max(1, Math.ceil((longest * LETTER_PX) / apart));
  const one = ticks.indexOf(1);
  return ticks.filter((_, at) => (at - one) % every === 0);
}

function tickText(tick: number): string {
  if (tick >= 0.1 || tick === 0)
    return `×${tick < 1 ? String(Number(tick.toFixed(2))) : tick.toLocaleString('en')}`;
  return `×1/${(1 / tick).toLocaleString('en')}`;
}
