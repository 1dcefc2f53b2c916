import { fullTimeText, zoneText } from '../lib/times';
import { useReferenceTime } from './SnapshotContext';
import { agoText, timeText } from './format-amounts';

/** Shows a time in words, with the zone if `exact`; the tooltip is the full time and zone. */
export function Timestamp({ at, exact = false }: { at: string; exact?: boolean }) {
  const now = useReferenceTime();
  const when = new Date(at);
  if (Number.isNaN(when.getTime())) return <span className="muted">unknown</span>;
  return (
    <time dateTime={at} title={fullTimeText(when)} className="nowrap">
      {exact ? `${timeText(when, now)} ${zoneText(when)}` : agoText(when, now)}
    </time>
  );
}
