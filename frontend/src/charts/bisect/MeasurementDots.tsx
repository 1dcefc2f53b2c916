/** All measured values in rows: the good side, the bad side, the control and the chosen probe. */
import { useRef } from 'react';
import { roundTicks } from '../../engine/format/axis-ticks';
import { columnScale } from '../../engine/format/format';
import css from './bisect.module.css';
import { useElementWidth } from './use-element-width';

export type MeasurementRow = {
  name: string;
  values: number[];
  tone: 'less' | 'more' | 'quiet' | 'accent';
};
type MeasurementDotsProps = { rows: MeasurementRow[]; unit: string; label: string };

const NAME_PX = 92;
const ROW_PX = 27;
const TICKS = 5;

export function MeasurementDots({ rows, unit, label }: MeasurementDotsProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useElementWidth(box);
  const all = rows.flatMap(({ values }) => values);
  const [least, most] = rangeOf(all);
  const span = most - least || 1;
  const plot = width - NAME_PX - 24;
  const xOf = (value: number): number => NAME_PX + 6 + ((value - least) / span) * plot;
  const height = rows.length * ROW_PX;
  const scale = columnScale(Math.max(Math.abs(most), Math.abs(least)), unit);
  return (
    <div ref={box}>
      <svg
        width={width}
        height={height + 22}
        role="img"
        aria-label={`${label}: ${rows.map(({ name, values }) => `${name}, ${values.length} values`).join('; ')}`}
      >
        {roundTicks(least, least + span, TICKS).map((value) => (
          <g key={value}>
            <path d={`M${xOf(value)} 0V${height}`} className={css.grid} />
            <text x={xOf(value)} y={height + 16} textAnchor="middle" className={css.note}>
              {scale.format(value)}
            </text>
          </g>
        ))}
        {rows.map(({ name, values, tone }, row) => {
          const y = row * ROW_PX + 16;
          const from = xOf(Math.min(...values));
          return (
            <g key={name} data-tone={tone}>
              <text x={NAME_PX - 8} y={y + 4} textAnchor="end" className={css.note}>
                {name}
              </text>
              {values.length > 1 && (
                <rect
                  x={from}
                  y={y - 8}
                  width={Math.max(1, xOf(Math.max(...values)) - from)}
                  height={16}
                  className={css.spread}
                />
              )}
              {values.map((value, at) => (
                <circle
                  key={at}
                  cx={xOf(value)}
                  cy={y + ((at % 3) - 1) * 3}
                  r={3}
                  className={css.value}
                />
              ))}
            </g>
          );
        })}
      </svg>
      <p className={css.caption}>{[label, scale.name].filter((part) => part !== '').join(', ')}</p>
    </div>
  );
}

/** Returns a range from 0, unless the values are so far from 0 that their dots would overlap. */
function rangeOf(values: readonly number[]): [number, number] {
  const most = Math.max(...values, 0);
  const least = Math.min(...values, 0);
  const nearest = Math.min(...values);
  if (nearest <= 0 || most - nearest > most / 3) return [least, most];
  const room = (most - nearest || most / 10) * 0.15;
  return [nearest - room, most + room];
}
