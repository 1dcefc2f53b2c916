/** The selected span: its times, its gaps, and all recorded attributes, as plain text. */
import type { ReactNode } from 'react';
import { formatShare, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { clampViewport, type TimelineViewport } from '../../../engine/timeline/timeline-viewport';
import { END, START, criticalOwn } from '../../../engine/spans/waterfall-layout';
import { DetailsList } from '../../../ui';
import { GapExplanation } from './GapExplanation';
import { SpanText } from './SpanText';
import classes from './spans.module.css';
import type { TraceDetail, Span } from './span-types';
import { flagText, gapPlace, skewText } from './span-wording';

type PanelProps = {
  artifactId: string;
  trace: TraceDetail;
  row: number;
  onSelect: (row: number | null) => void;
  onWindow: (window: TimelineViewport) => void;
  traceLink: (traceId: string, words: string) => ReactNode;
  /** Returns a link to the page of an execution trace. */
  executionLink: (artifactId: string, words: string) => ReactNode;
};

const ROOM = 0.15;

export function SpanPanel(props: PanelProps) {
  const { trace, row, onSelect, onWindow, traceLink } = props;
  const span = trace.spans[row]!;
  const parent = span.parent === null ? null : trace.spans[span.parent];
  const show = (fromNs: number, toNs: number) => {
    const room = Math.max(1, (toNs - fromNs) * ROOM);
    const all = Math.max(1, trace.duration_ns);
    onWindow(clampViewport({ from: (fromNs - room) / all, to: (toNs + room) / all }, all));
  };
  return (
    <aside className={classes.panel} aria-label="Selected span">
      <div className={classes.panelHead}>
        <h2>
          <b>{visibleName(span.service)}</b> <span className="mono">{visibleName(span.op)}</span>
        </h2>
        <button type="button" className="link" onClick={() => onSelect(null)}>
          Close
        </button>
      </div>
      {span.status === 'error' && <p className="err">Ended with an error.</p>}
      <Flags span={span} />
      <DetailsList facts={factsOf(trace, row)} />
      <p className={classes.verbs}>
        <button
          type="button"
          className="link"
          onClick={() => show(span.start_ns, span.start_ns + span.duration_ns)}
        >
          Fit into view
        </button>
        {parent && span.parent !== null && (
          <button type="button" className="link" onClick={() => onSelect(span.parent)}>
            Parent: <span className="mono">{visibleName(parent.op, 40)}</span>
          </button>
        )}
      </p>
      <Gaps {...props} span={span} onShow={show} />
      <Pairs span={span} />
      {span.events.length > 0 && (
        <>
          <h3>Events</h3>
          <ol className={classes.events}>
            {span.events.map(({ at_ns, name }, at) => (
              <li key={at}>
                <span className="muted">{formatValue(at_ns, 'ns')}</span>{' '}
                <span className="mono">{visibleName(name)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      {span.links.length > 0 && (
        <>
          <h3>Links</h3>
          <ol className={classes.events}>
            {span.links.map(({ trace_id, span_id }, at) => (
              <li key={at} className="mono">
                {traceLink(trace_id, trace_id)} <span className="muted">{span_id}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </aside>
  );
}

function factsOf(trace: TraceDetail, row: number): [string, ReactNode][] {
  const span = trace.spans[row]!;
  const own = criticalOwn(trace.critical_path, trace.spans.length)[row] ?? 0;
  const facts: [string, ReactNode][] = [
    ['duration', formatValue(span.duration_ns, 'ns')],
    ['began', `${formatValue(span.start_ns, 'ns')} after the trace`],
    ['self time', `${formatValue(span.self_ns, 'ns')}${shareOf(span.self_ns, span.duration_ns)}`],
    [
      'on the critical path',
      own > 0
        ? `${formatValue(own, 'ns')} self time${shareOf(own, trace.duration_ns, ' of the trace')}`
        : 'not on it',
    ],
    ['kind', span.kind],
  ];
  if (span.instance !== '')
    facts.push([
      'instance',
      <span key="i" className="mono">
        {visibleName(span.instance)}
      </span>,
    ]);
  facts.push([
    'span',
    <span key="s" className="mono">
      {span.id}
    </span>,
  ]);
  return facts;
}

const shareOf = (part: number, whole: number, of = ''): string =>
  whole > 0 ? `, ${formatShare(part / whole)}${of}` : '';

function Flags({ span }: { span: Span }) {
  const details = [...span.flags.map(flagText), skewText(span.skew_ns)].filter(
    (each) => each !== null,
  );
  return details.map((each) => (
    <p key={each} className={classes.flag}>
      {each}
    </p>
  ));
}

type GapsProps = Pick<PanelProps, 'artifactId' | 'trace' | 'row' | 'executionLink'> & {
  span: Span;
  onShow: (fromNs: number, toNs: number) => void;
};

function Gaps({ artifactId, trace, row, span, onShow, executionLink }: GapsProps) {
  if (span.gaps.length === 0) return null;
  const alone = span.gaps.every(({ previous, next }) => previous === START && next === END);
  return (
    <>
      <h3>
        {alone ? 'Self time: no child spans' : 'Gaps (self time not covered by a child span)'}
      </h3>
      <ol className={classes.events}>
        {span.gaps.map((gap, number) => (
          <li key={gap.start_ns}>
            <button type="button" className="link" onClick={() => onShow(gap.start_ns, gap.end_ns)}>
              {formatValue(gap.end_ns - gap.start_ns, 'ns')}
            </button>{' '}
            <SpanText words={gapPlace(gap)} />
            {gap.suspect && <span className="muted"> · possibly caused by clock skew</span>}
            <GapExplanation
              key={`${row} ${number}`}
              artifactId={artifactId}
              traceId={trace.trace_id}
              span={row}
              gap={number}
              executionLink={executionLink}
            />
          </li>
        ))}
      </ol>
    </>
  );
}

function Pairs({ span }: { span: Span }) {
  if (span.attributes.length === 0) return null;
  return (
    <>
      <h3>Attributes</h3>
      <table className={classes.pairs}>
        <tbody>
          {span.attributes.map(([key, value], at) => (
            <tr key={at}>
              <th scope="row">{visibleName(key)}</th>
              <td>{visibleName(value, 1200)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
