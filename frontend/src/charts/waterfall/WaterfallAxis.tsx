import type { ReactElement } from 'react';
import { roundTicks } from '../../engine/format/axis-ticks';
import { formatTicks } from '../../engine/format/format';
import type { TimeScale } from './waterfall-scale';
import css from './waterfall.module.css';

const TICK_PX = 110;

function ticksOf(scale: TimeScale): number[] {
  return roundTicks(scale.fromNs, scale.toNs, Math.max(2, Math.floor(scale.widthPx / TICK_PX)));
}

/** The times at the top of the waterfall. */
export function AxisTicks({ scale }: { scale: TimeScale }): ReactElement {
  const ticks = ticksOf(scale);
  const texts = formatTicks(ticks, 'ns');
  return (
    <span aria-hidden="true">
      {ticks.map((ns, place) => {
        const at = scale.clamped(ns);
        const shift = at < 0.03 ? '0' : at > 0.94 ? '-100%' : '-50%';
        return (
          <span
            key={ns}
            className={css.tick}
            style={{ left: `${at * 100}%`, transform: `translateX(${shift})` }}
          >
            {texts[place]}
          </span>
        );
      })}
    </span>
  );
}

/** The lines of the ticks, behind the rows. */
export function GridLines({ scale }: { scale: TimeScale }): ReactElement {
  return (
    <div className={css.overlay} aria-hidden="true">
      {ticksOf(scale).map((ns) => (
        <i key={ns} className={css.gridLine} style={{ left: `${scale.clamped(ns) * 100}%` }} />
      ))}
    </div>
  );
}
