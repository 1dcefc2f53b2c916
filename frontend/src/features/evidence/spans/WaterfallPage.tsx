/** The page of one trace: its spans as a waterfall. */
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy, useCallback, useMemo, useState, type ReactNode } from 'react';
import { formatCount, formatValue } from '../../../engine/format/format';
import { WHOLE_TIMELINE, type TimelineViewport } from '../../../engine/timeline/timeline-viewport';
import {
  foundRows,
  shownRows,
  subtreeEnds,
  unfoldedAbove,
} from '../../../engine/spans/waterfall-layout';
import {
  EmptyState,
  ErrorState,
  KeyHint,
  PageHeader,
  ProblemBoundary,
  SkeletonRows,
  Timestamp,
  Toolbar,
  countOf,
  useTitle,
} from '../../../ui';
import { SpanPanel } from './SpanPanel';
import { SpanText } from './SpanText';
import { waterfallQuery } from './span-queries';
import classes from './spans.module.css';
import type { TraceDetail } from './span-types';
import type { WaterfallView } from './span-url';
import { traceAnswer } from './span-wording';

const Waterfall = lazy(async () => ({
  default: (await import('../../../charts/waterfall')).Waterfall,
}));

export type WaterfallPageProps = {
  artifactId: string;
  traceId: string;
  /** A link back, on the line above the title. */
  above: ReactNode;
  view: WaterfallView;
  onView: (view: WaterfallView) => void;
  /** Returns a link to another trace of the same artifact. */
  traceLink: (traceId: string, words: string) => ReactNode;
  /** Returns a link to the page of an execution trace. */
  executionLink: (artifactId: string, words: string) => ReactNode;
};

export default function WaterfallPage(props: WaterfallPageProps) {
  const { artifactId, traceId, above } = props;
  const trace = useQuery(waterfallQuery(artifactId, traceId));
  useTitle(trace.data?.spans[0]?.op ?? 'Trace');
  if (trace.error) {
    return (
      <>
        <PageHeader above={above} title="Could not load the trace" />
        <div className={classes.inset}>
          <ErrorState
            error={trace.error}
            action={<Button onClick={() => void trace.refetch()}>Try again</Button>}
          />
        </div>
      </>
    );
  }
  if (!trace.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={18} height={26} label="Loading the trace" />
      </div>
    );
  }
  return <WaterfallBody {...props} trace={trace.data} />;
}

function WaterfallBody(props: WaterfallPageProps & { trace: TraceDetail }) {
  const { trace, above } = props;
  const { spans } = trace;
  const errors = spans.filter(({ status }) => status === 'error').length;
  const skewed = spans.filter(({ skew_ns }) => skew_ns !== 0).length;
  const left = trace.spans_total - spans.length;
  return (
    <>
      <PageHeader
        above={above}
        title={<SpanText words={traceAnswer(trace)} />}
        sub={
          <>
            trace <span className="mono">{trace.trace_id}</span> ·{' '}
            {countOf(trace.spans_total, 'span')} of {countOf(trace.services.length, 'service')} ·{' '}
            {formatValue(trace.duration_ns, 'ns')} in total ·{' '}
            <Timestamp at={new Date(trace.start_ns / 1e6).toISOString()} exact />
            {errors > 0 && <span className="err"> · {countOf(errors, 'error')}</span>}
          </>
        }
      />
      {(skewed > 0 || left > 0) && (
        <p className={classes.caveat}>
          {skewed > 0 && (
            <>
              {skewed === spans.length ? 'All' : formatCount(skewed)} spans were corrected for clock
              skew. Durations shorter than the correction are unreliable.{' '}
            </>
          )}
          {left > 0 && (
            <>
              Only the first {formatCount(spans.length)} spans are drawn, {formatCount(left)} more
              are in the file.
            </>
          )}
        </p>
      )}
      {spans.length === 0 ? (
        <div className={classes.inset}>
          <EmptyState>No spans of this trace in the artifact.</EmptyState>
        </div>
      ) : (
        <ProblemBoundary what="Could not draw this trace" resetKey={trace.trace_id}>
          <Drawn {...props} />
        </ProblemBoundary>
      )}
    </>
  );
}

type DrawnProps = Omit<WaterfallPageProps, 'above' | 'traceId'> & { trace: TraceDetail };

const NO_PATH: TraceDetail['critical_path'] = [];

function Drawn({ artifactId, trace, view, onView, traceLink, executionLink }: DrawnProps) {
  const { spans } = trace;
  const ends = useMemo(() => subtreeEnds(spans), [spans]);
  const shown = useMemo(() => shownRows(ends, view.folded), [ends, view.folded]);
  const found = useMemo(() => foundRows(spans, view.words), [spans, view.words]);
  const foundSet = useMemo(() => new Set(found), [found]);
  const selected = view.span !== null && view.span < spans.length ? view.span : null;
  const select = useCallback(
    (span: number | null) => {
      onView({
        ...view,
        span,
        folded: span === null ? view.folded : unfoldedAbove(span, spans, view.folded),
      });
    },
    [onView, view, spans],
  );
  const fold = useCallback(
    (row: number, on: boolean) => {
      const folded = new Set(view.folded);
      if (on) folded.add(row);
      else folded.delete(row);
      onView({ ...view, span: row, folded });
    },
    [onView, view],
  );
  const move = useCallback(
    (window: TimelineViewport) => onView({ ...view, window }),
    [onView, view],
  );
  const root = spans[0];
  return (
    <>
      <WaterfallToolbar
        view={view}
        onView={onView}
        found={found}
        onNext={(by) => {
          const at = selected === null ? -1 : found.indexOf(selected);
          // If no match is selected, the previous one is the last.
          const next =
            at < 0 && by < 0 ? found.at(-1) : found[(at + by + found.length) % found.length];
          if (next !== undefined) select(next);
        }}
      />
      <div className={classes.split} data-open={selected !== null || undefined}>
        <div className={classes.picture}>
          <Suspense fallback={<SkeletonRows rows={16} height={26} label="Loading the waterfall" />}>
            <Waterfall
              spans={spans}
              ends={ends}
              shown={shown}
              folded={view.folded}
              critical={view.critical ? trace.critical_path : NO_PATH}
              durationNs={trace.duration_ns}
              window={view.window}
              onWindow={move}
              selected={selected}
              onSelect={select}
              onFold={fold}
              found={foundSet}
              label={`Spans of ${root ? `${root.service} ${root.op}` : 'the trace'}, by time`}
            />
          </Suspense>
          <p className={classes.keys}>
            <KeyHint keys={['↑', '↓']}>span</KeyHint>
            <KeyHint keys={['←', '→']}>fold</KeyHint>
            <KeyHint keys={['w', 's']}>closer, wider</KeyHint>
            <KeyHint keys={['a', 'd']}>earlier, later</KeyHint>
            <KeyHint keys={['f']}>fit the span</KeyHint>
            <KeyHint keys={['0']}>whole</KeyHint>
          </p>
        </div>
        {selected !== null && (
          <SpanPanel
            artifactId={artifactId}
            trace={trace}
            row={selected}
            onSelect={select}
            onWindow={move}
            traceLink={traceLink}
            executionLink={executionLink}
          />
        )}
      </div>
    </>
  );
}

type ToolbarProps = {
  view: WaterfallView;
  onView: (view: WaterfallView) => void;
  found: number[];
  onNext: (by: 1 | -1) => void;
};

function WaterfallToolbar({ view, onView, found, onNext }: ToolbarProps) {
  const [words, setWords] = useState(view.words);
  const whole = view.window.from === 0 && view.window.to === 1;
  return (
    <Toolbar label="Waterfall view">
      <TextInput
        aria-label="Find spans by service or operation"
        placeholder="Find a service or operation"
        value={words}
        w={220}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          onView({ ...view, words: event.currentTarget.value.slice(0, 200) });
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onNext(event.shiftKey ? -1 : 1);
        }}
      />
      {view.words !== '' && (
        <span className="muted" aria-live="polite">
          {found.length === 0 ? 'no results' : `${countOf(found.length, 'span')}, Enter for next`}
        </span>
      )}
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={view.critical}
          onChange={(event) => onView({ ...view, critical: event.currentTarget.checked })}
        />
        <svg width="22" height="10" aria-hidden="true">
          <path d="M1 2H9V8H21" fill="none" stroke="var(--cand-line)" strokeWidth="2" />
        </svg>
        critical path
      </label>
      <span className={classes.legend}>
        <i className={classes.hatch} aria-hidden="true" /> gap: self time not covered by a child
        span
      </span>
      <span className="grow" />
      {view.folded.size > 0 && (
        <Button onClick={() => onView({ ...view, folded: new Set() })}>Unfold all</Button>
      )}
      <Button
        disabled={whole}
        title={whole ? 'The whole trace is shown' : undefined}
        onClick={() => onView({ ...view, window: WHOLE_TIMELINE })}
      >
        Whole trace
      </Button>
    </Toolbar>
  );
}
