import { useReferenceTime } from './SnapshotContext';
import { agoText, timeText } from './format-amounts';

/** A moment in words; its full form as the title. */
export function Timestamp({ at, exact = false }: { at: string; exact?: boolean }) {
  const now = useReferenceTime();
  const when = new Date(at);
  if (Number.isNaN(when.getTime())) return <span className="muted">unknown</span>;
  return (
    <time dateTime={at} title={when.toLocaleString('en-GB')} className="nowrap">
      {exact ? timeText(when, now) : agoText(when, now)}
    </time>
  );
}
