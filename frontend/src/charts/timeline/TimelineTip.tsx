/** What lies under the pointer, in words. Names are other people's: they are text, and cut where they are endless. */
import type { ReactElement } from 'react';
import { formatCount, formatValue, visibleName } from '../../engine';
import { heldByWords } from '../../engine/held-by';
import type { Place } from '../../engine/timeline-layout';
import css from './timeline.module.css';

const TIP_PX = 300;

type TipProps = { place: Place; proc: number; x: number; y: number; width: number };

export function TimelineTip({ place, proc, x, y, width }: TipProps): ReactElement {
  const { tile, at } = place;
  const held = tile.classes[tile.heldBy[at]!]!;
  const [from, to] = [tile.from[at]!, tile.to[at]!];
  const goroutine = tile.goroutine[at]!;
  const own = goroutine > 0 && goroutine === tile.waitGoroutine;
  const left = x + 14 + TIP_PX > width ? Math.max(0, x - 14 - TIP_PX) : x + 14;
  return (
    <div className={css.tip} style={{ left, top: y + 18, width: TIP_PX }} role="presentation">
      <p className={css.name}>{visibleName(heldByWords(held))}</p>
      <p>
        <b>{formatValue(to - from, 'ns')}</b> on P{proc}
        {goroutine > 0 && <> · goroutine {formatCount(goroutine)}</>}
        {own && <> · the one that waited</>}
      </p>
      <p className="muted">
        {formatValue(from - tile.waitStartNs, 'ns')} to {formatValue(to - tile.waitStartNs, 'ns')}{' '}
        after the wake
      </p>
      {tile.merged[at]! > 1 && (
        <p className="muted">
          {formatCount(tile.merged[at]!)} runs drawn as one; zoom in for each of them
        </p>
      )}
    </div>
  );
}
