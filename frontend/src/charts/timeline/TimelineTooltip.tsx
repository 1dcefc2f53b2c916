/** Describes the hovered segment. Names are those of users: shown as text, and cut if very long. */
import type { ReactElement } from 'react';
import { formatCount, formatValue } from '../../engine/format/format';
import { visibleName } from '../../engine/flame/frame-label';
import { describeOccupant } from '../../engine/timeline/p-occupancy';
import type { SegmentPosition } from '../../engine/timeline/timeline-layout';
import css from './timeline.module.css';

const TIP_PX = 300;

type TipProps = { place: SegmentPosition; proc: number; x: number; y: number; width: number };

export function TimelineTooltip({ place, proc, x, y, width }: TipProps): ReactElement {
  const { tile, at } = place;
  const held = tile.classes[tile.heldBy[at]!]!;
  const [from, to] = [tile.from[at]!, tile.to[at]!];
  const goroutine = tile.goroutine[at]!;
  const own = goroutine > 0 && goroutine === tile.waitGoroutine;
  const left = x + 14 + TIP_PX > width ? Math.max(0, x - 14 - TIP_PX) : x + 14;
  return (
    <div className={css.tip} style={{ left, top: y + 18, width: TIP_PX }} role="presentation">
      <p className={css.name}>{visibleName(describeOccupant(held))}</p>
      <p>
        <b>{formatValue(to - from, 'ns')}</b> on P{proc}
        {goroutine > 0 && <> · goroutine {formatCount(goroutine)}</>}
        {own && <> · the waiting goroutine</>}
      </p>
      <p className="muted">
        {formatValue(from - tile.waitStartNs, 'ns')} to {formatValue(to - tile.waitStartNs, 'ns')}{' '}
        after wake-up
      </p>
      {tile.merged[at]! > 1 && (
        <p className="muted">
          {formatCount(tile.merged[at]!)} runs combined; zoom in to separate them
        </p>
      )}
    </div>
  );
}
