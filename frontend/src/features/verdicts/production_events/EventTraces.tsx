/**
 * The longest traces during an event and before it, and the span sets that contain them. Shows
 * nothing if no span set is of the time of the event.
 */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ProductionEvent } from '../../../api';
import { formatValue } from '../../../engine/format/format';
import { ErrorState, Section } from '../../../ui';
import { eventTracesQuery, type SlowTrace, type SlowTraces } from './event-traces';
import classes from './events.module.css';

type TracesProps = {
  event: ProductionEvent;
  traceLink: (setId: string, traceId: string, words: string) => ReactNode;
  setLink: (setId: string, words: string) => ReactNode;
};

export function EventTraces({ event, traceLink, setLink }: TracesProps) {
  const found = useQuery(eventTracesQuery(event));
  if (found.error)
    return (
      <Section title="Slow traces">
        <ErrorState
          compact
          what="Could not load the traces"
          error={found.error}
          action={<Button onClick={() => void found.refetch()}>Try again</Button>}
        />
      </Section>
    );
  if (!found.data || found.data.after.sets.length === 0) return null;
  const { after, before } = found.data;
  const links = { traceLink, setLink };
  return (
    <Section title="Slow traces" aside="to compare: the longest of as much time before">
      <div className={classes.traceSides}>
        <TraceList name="Since the event began" found={after} {...links} />
        <TraceList name="Before" found={before} {...links} />
      </div>
    </Section>
  );
}

type ListProps = Omit<TracesProps, 'event'> & { name: string; found: SlowTraces };

function TraceList({ name, found, traceLink, setLink }: ListProps) {
  const { sets, traces } = found;
  return (
    <section aria-label={name}>
      <h3 className={classes.traceSide}>
        {name} <span className="muted">{searchedText(found)}</span>
      </h3>
      {traces.length === 0 && (
        <p className="muted">
          {sets.length === 0
            ? 'No spans of this time were received.'
            : 'None of the longest traces began in this time.'}
        </p>
      )}
      <ol className={classes.traces}>
        {traces.map((trace) => (
          <li key={`${trace.setId} ${trace.trace_id}`}>
            <span className={classes.traceRoot}>
              {traceLink(trace.setId, trace.trace_id, rootText(trace))}
            </span>
            <span className={classes.traceDuration}>{formatValue(trace.duration_ns, 'ns')}</span>
            <span className="muted">{sizeText(trace)}</span>
          </li>
        ))}
      </ol>
      {sets.length > 0 && (
        <p className={classes.traceSets}>
          {sets.map((id, at) => (
            <span key={id}>{setLink(id, setText(sets.length, at))}</span>
          ))}
        </p>
      )}
    </section>
  );
}

/** Returns a note that only some span sets were searched, or ''. */
const searchedText = ({ sets, total }: SlowTraces): string =>
  total > sets.length ? `of the newest ${sets.length} of ${total} span sets` : '';

const setText = (count: number, at: number): string =>
  count === 1 ? 'All spans of this time' : `All spans of set ${at + 1}`;

const rootText = ({ service, root }: SlowTrace): string =>
  [service, root].filter(Boolean).join(' ') || 'trace without a root span';

const sizeText = ({ spans, errors, gap_ns }: SlowTrace): string =>
  [
    spans === 1 ? '1 span' : `${spans} spans`,
    errors > 0 && (errors === 1 ? '1 error' : `${errors} errors`),
    gap_ns > 0 && `largest gap ${formatValue(gap_ns, 'ns')}`,
  ]
    .filter(Boolean)
    .join(', ');
