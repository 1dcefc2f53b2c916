/**
 * P occupancy while a group waited: base and candidate as two stacked bars on one scale, with new
 * occupants first and hatched, and a legend that is also a table of the values.
 */
import { useId, useRef, type ReactElement } from 'react';
import { formatValue } from '../../engine/format/format';
import {
  layOutOccupancyBars,
  type Bar,
  type OccupancyShare,
} from '../../engine/timeline/occupancy-bars';
import {
  describeOccupantBriefly,
  describeOccupant,
  isNamed,
  keyOf,
  type OccupantPatterns,
} from '../../engine/timeline/p-occupancy';
import { visibleName } from '../../engine/flame/frame-label';
import { PatternDefs, PatternSwatch, svgPaint } from '../plot/PatternDefs';
import { useWidth } from '../plot/color-tokens';
import plot from '../plot/plot.module.css';
import css from './occupancy.module.css';

type OccupancyBarsProps = {
  /** Nanoseconds per wait of each occupant, per side. */
  parts: OccupancyShare[];
  paints: OccupantPatterns;
  /** Whether only base is drawn. */
  single: boolean;
  label: string;
};

const LEFT = 74;
const RIGHT = 70;
const BAR_PX = 30;
const CHARACTER_PX = 7.1;

export function OccupancyBars({ parts, paints, single, label }: OccupancyBarsProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const id = useId();
  const width = useWidth(host, 672);
  const bars = layOutOccupancyBars(parts);
  const scale = (width - LEFT - RIGHT) / Math.max(bars.largest, 1e-9);
  const rows = single ? (['base'] as const) : (['base', 'candidate'] as const);
  const height = 14 + rows.length * (BAR_PX + 16);
  return (
    <div ref={host} className={css.occupancy}>
      <svg className={plot.plot} height={height} role="img" aria-label={label}>
        <PatternDefs id={id} />
        {rows.map((side, at) => {
          const y = 8 + at * (BAR_PX + 16);
          const total = side === 'base' ? bars.baseTotal : bars.candidateTotal;
          return (
            <g key={side}>
              <text x={LEFT - 10} y={y + 19} textAnchor="end" className={plot.ink}>
                {single ? 'per wait' : side}
              </text>
              {bars[side].map((bar) => (
                <Part
                  key={keyOf(bar.part)}
                  bar={bar}
                  x={LEFT + bar.from * scale}
                  width={(bar.to - bar.from) * scale}
                  y={y}
                  id={id}
                  paints={paints}
                />
              ))}
              <text
                x={LEFT + total * scale + 8}
                y={y + 19}
                className={`${plot.ink} ${plot.strong}`}
              >
                {formatValue(total, 'ns')}
              </text>
            </g>
          );
        })}
        <path d={`M${LEFT - 0.5} 0V${height - 6}`} className={plot.axis} />
      </svg>
      <Legend bars={bars} paints={paints} single={single} id={id} />
    </div>
  );
}

type PartProps = {
  bar: Bar;
  x: number;
  width: number;
  y: number;
  id: string;
  paints: OccupantPatterns;
};

function Part({ bar, x, width, y, id, paints }: PartProps) {
  const { part } = bar;
  const text = visibleName(describeOccupantBriefly(part));
  const hint = `${text}${part.isNew ? ' · only in candidate' : ''}`;
  const room = Math.floor((width - 28) / CHARACTER_PX);
  return (
    <g>
      <rect
        x={x + 0.5}
        y={y + 0.5}
        width={Math.max(1, width - 1)}
        height={BAR_PX - 1}
        {...svgPaint(id, paints.of(part))}
      >
        <title>{`${visibleName(describeOccupant(part))}: ${formatValue(bar.to - bar.from, 'ns')} per wait`}</title>
      </rect>
      {part.isNew && room >= text.length && (
        <>
          <rect
            x={x + 8}
            y={y + 6}
            width={(room >= hint.length ? hint.length : text.length) * CHARACTER_PX + 12}
            height={18}
            className={css.plate}
          />
          <text x={x + 14} y={y + 19} className={`${plot.code} ${plot.ink}`}>
            {room >= hint.length ? hint : text}
          </text>
        </>
      )}
    </g>
  );
}

type LegendProps = {
  bars: ReturnType<typeof layOutOccupancyBars>;
  paints: OccupantPatterns;
  single: boolean;
  id: string;
};

/** The bars as text and numbers, with the same content for users who do not see them. */
function Legend({ bars, paints, single, id }: LegendProps) {
  const value = (amount: number) => (amount === 0 ? '–' : formatValue(amount, 'ns'));
  return (
    <table className={css.legend} aria-label="P occupancy per wait">
      <thead className="unseen">
        <tr>
          <th scope="col">Occupied by</th>
          <th scope="col">{single ? 'this trace' : 'base'}</th>
          {!single && <th scope="col">Candidate</th>}
        </tr>
      </thead>
      <tbody>
        {bars.listed.map((part) => {
          return (
            <tr key={keyOf(part)}>
              <th scope="row" title={describeOccupant(part)}>
                <span className={css.name}>
                  <PatternSwatch paint={paints.of(part)} id={`${id}-legend`} />
                  <span className={isNamed(part) ? 'mono cut' : 'cut'}>
                    {visibleName(describeOccupantBriefly(part))}
                  </span>
                </span>
              </th>
              <td>{value(part.base)}</td>
              {!single && (
                <td className={part.isNew ? css.isNew : undefined}>
                  <span className="unseen">to </span>
                  {value(part.candidate)}
                </td>
              )}
            </tr>
          );
        })}
        {bars.small > 0 && (
          <tr>
            <th scope="row" className="muted">
              {bars.small} smaller
            </th>
          </tr>
        )}
      </tbody>
    </table>
  );
}
