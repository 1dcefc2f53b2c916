/** A summary of a decoded trace, for the page of its artifact. */
import type { Artifact } from '../../../api';
import { DetailsList, countText, durationText } from '../../../ui';
import { unreadableRangeText, warningText } from './trace-wording';

export function TraceFacts({ trace }: { trace: NonNullable<Artifact['trace']> }) {
  const lost = unreadableRangeText({ name: '', lost: trace.unreadable_range })?.replace(/^: /u, '');
  return (
    <DetailsList
      facts={[
        ['recorded for', durationText(trace.duration_ns)],
        ['format', `Go ${trace.header_version}`],
        ['recording', trace.recording.replace('-', ' ')],
        ['processors', countText(trace.gomaxprocs)],
        ['events', countText(trace.events)],
        ['goroutines', countText(trace.goroutines)],
        ['scheduling waits', `${countText(trace.waits)}, ${durationText(trace.wait_ns)} together`],
        ['CPU samples', countText(trace.cpu_samples)],
        ...(lost === undefined ? [] : [['lost', lost] as [string, string]]),
        ...trace.warnings.map((warning, at): [string, string] => [
          at === 0 ? 'note' : `note ${at + 1}`,
          warningText(warning),
        ]),
      ]}
    />
  );
}
