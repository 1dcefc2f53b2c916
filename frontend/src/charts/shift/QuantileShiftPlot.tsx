/**
 * Durations of waits by quantile: base and candidate from p50 to p99.99 on a log axis, on which
 * rare quantiles are as wide as common ones. The difference is below each quantile; one quantile
 * has the ratio at an arrow.
 *
 * - `points`: ascending in q; a side that is null everywhere is not drawn.
 * - `marked`: the quantile with the arrow, and its ratio with the interval, if there is one.
 * - `single`: base is the only side, so it has no name.
 * - `tone`: the verdict of the change, for the color of the candidate.
 */
import { useRef, type ReactElement } from 'react';
import {
  formatDelta,
  formatRatio,
  formatRatioRange,
  formatValue,
} from '../../engine/format/format';
import {
  bandOf,
  quantileAxis,
  quantileName,
  type QuantilePoint,
} from '../../engine/timeline/quantile-plot';
import { certaintyWord } from '../../lib/certainty';
import { useWidth } from '../plot/color-tokens';
import css from '../plot/plot.module.css';

type QuantileShiftPlotProps = {
  points: QuantilePoint[];
  marked: { q: number; ratio: number | null; low: number | null; high: number | null };
  tone: 'more' | 'less' | 'noise';
  single?: boolean;
  label: string;
};

const HEIGHT = 236;
const LEFT = 52;
const TOP = 10;
const BOTTOM = 44;
const NARROW_PX = 480;

type Shown = [x: number, y: number][];
const path = (places: Shown): string =>
  places.map(([x, y], at) => `${at ? 'L' : 'M'}${x} ${y}`).join('');

export function QuantileShiftPlot(props: QuantileShiftPlotProps): ReactElement {
  const { points, marked, tone, single = false, label } = props;
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host, 672);
  const right = width < NARROW_PX ? 64 : 132;
  const box = { x0: LEFT, x1: width - right, y0: TOP, y1: HEIGHT - BOTTOM };
  const axis = quantileAxis(points, box);
  const placed = (side: 'base_ns' | 'candidate_ns'): Shown =>
    points.flatMap((point): Shown => {
      const value = point[side];
      return value === null ? [] : [[axis.x(point.q), axis.y(value)]];
    });
  const [base, candidate] = [placed('base_ns'), placed('candidate_ns')];
  const band = bandOf(points);
  const bandPath =
    band.length > 1
      ? `${path(band.map(({ q, high }) => [axis.x(q), axis.y(high)]))}L${path(
          band.map(({ q, low }): [number, number] => [axis.x(q), axis.y(low)]).reverse(),
        ).slice(1)}Z`
      : '';
  const tight = (box.x1 - box.x0) / axis.labels.length < 46;
  return (
    <div ref={host}>
      <svg className={css.plot} height={HEIGHT} role="img" aria-label={label}>
        {axis.lines.map((line) => (
          <g key={line}>
            <path d={`M${box.x0} ${axis.y(line)}H${box.x1}`} className={css.grid} />
            <text x={box.x0 - 8} y={axis.y(line) + 4} textAnchor="end">
              {formatValue(line, 'ns')}
            </text>
          </g>
        ))}
        <path d={`M${box.x0} ${box.y1}H${box.x1}`} className={css.axis} />
        {axis.labels.map((q, at) => {
          const x = axis.x(q);
          const here = q === marked.q;
          if (tight && !here && at % 2 === 1) return null;
          return (
            <g key={q}>
              <path d={`M${x} ${box.y1}v4`} className={css.axis} />
              <text
                x={x}
                y={box.y1 + 17}
                textAnchor="middle"
                className={here ? `${css.ink} ${css.strong}` : undefined}
              >
                {quantileName(q)}
              </text>
              <Difference points={points} q={q} x={x} y={box.y1 + 34} />
            </g>
          );
        })}
        <path d={path(base)} className={single ? `${css.line} ${css.noise}` : css.baseLine} />
        <g className={css[tone]}>
          {bandPath !== '' && <path d={bandPath} className={css.band} />}
          <path d={path(candidate)} className={css.line} />
          {candidate.map(([x, y]) => (
            <circle key={x} cx={x} cy={y} r={points.length > 24 ? 1.6 : 3} className={css.dot} />
          ))}
        </g>
        {points.length <= 24 &&
          base.map(([x, y]) => <circle key={x} cx={x} cy={y} r={2.6} className={css.baseDot} />)}
        <Ratio points={points} marked={marked} axis={axis} tone={tone} />
        <Ends
          points={points}
          axis={axis}
          x={box.x1 + 12}
          tone={tone}
          single={single}
          short={width < NARROW_PX}
        />
      </svg>
    </div>
  );
}

const near = (points: QuantilePoint[], q: number): QuantilePoint | undefined =>
  points.find((point) => Math.abs(point.q - q) < 1e-9);

type Axis = ReturnType<typeof quantileAxis>;
type Tone = QuantileShiftPlotProps['tone'];

function Difference(props: { points: QuantilePoint[]; q: number; x: number; y: number }) {
  const point = near(props.points, props.q);
  if (point?.base_ns == null || point.candidate_ns === null) return null;
  const difference = point.candidate_ns - point.base_ns;
  const certain =
    point.low_ns !== null && point.high_ns !== null && (point.low_ns > 0 || point.high_ns < 0);
  const tone = !certain ? undefined : difference > 0 ? css.moreText : css.lessText;
  return (
    <text x={props.x} y={props.y} textAnchor="middle" className={tone}>
      {formatDelta(difference, 'ns')}
    </text>
  );
}

/** The arrow from base to candidate at one quantile, with the ratio beside it. */
function Ratio(props: {
  points: QuantilePoint[];
  marked: QuantileShiftPlotProps['marked'];
  axis: Axis;
  tone: Tone;
}) {
  const { marked, axis } = props;
  const point = near(props.points, marked.q);
  if (point?.base_ns == null || point.candidate_ns === null || marked.ratio === null) return null;
  const x = axis.x(marked.q);
  const [from, to] = [axis.y(point.base_ns), axis.y(point.candidate_ns)];
  if (Math.abs(from - to) < 30) return null;
  const up = to < from ? -1 : 1;
  const middle = (from + to) / 2;
  return (
    <g>
      <path d={`M${x} ${from + 7 * up}V${to - 7 * up}`} className={css.arrow} />
      <path d={`M${x - 3} ${to - 12 * up}l3 ${5 * up} 3 ${-5 * up}`} className={css.arrow} />
      <text
        x={x - 9}
        y={middle}
        textAnchor="end"
        className={`${css.ink} ${css.strong} ${css.large} ${css.rimmed}`}
      >
        {formatRatio(marked.ratio)}
      </text>
      {marked.low !== null && marked.high !== null && (
        <text x={x - 9} y={middle + 14} textAnchor="end" className={css.rimmed}>
          <title>95% interval {formatRatioRange(marked.low, marked.high)}</title>
          {certaintyWord(marked.low, marked.high)}
        </text>
      )}
    </g>
  );
}

const APART_PX = 30;

/** Names at the right ends of the lines, as a legend; moved apart if they would overlap. */
function Ends(props: {
  points: QuantilePoint[];
  axis: Axis;
  x: number;
  tone: Tone;
  single: boolean;
  short: boolean;
}) {
  const { points, axis, x, tone, single, short } = props;
  const last = (side: 'base_ns' | 'candidate_ns') =>
    points.findLast((point) => point[side] !== null);
  const toneText = tone === 'more' ? css.moreText : tone === 'less' ? css.lessText : css.ink;
  const named = (
    [
      ['base', last('base_ns'), 'base_ns', css.ink2],
      ['candidate', last('candidate_ns'), 'candidate_ns', toneText],
    ] as const
  ).flatMap(([name, point, side, className]) => {
    const value = point?.[side];
    return point && typeof value === 'number'
      ? [{ name, point, value, className, y: axis.y(value) }]
      : [];
  });
  named.sort((a, b) => a.y - b.y);
  const [upper, lower] = named;
  if (upper && lower && lower.y - upper.y < APART_PX) {
    const middle = (upper.y + lower.y) / 2;
    upper.y = Math.max(TOP + 4, middle - APART_PX / 2);
    lower.y = upper.y + APART_PX;
  }
  return named.map(({ name, point, value, className, y }) => (
    <g key={name}>
      <text x={x} y={y + 4} className={`${className} ${css.strong}`}>
        {formatValue(value, 'ns')}
      </text>
      <text x={x} y={y + 18}>
        {[single ? '' : name, short && !single ? '' : quantileName(point.q)]
          .filter((word) => word !== '')
          .join(' ')}
      </text>
    </g>
  ));
}
