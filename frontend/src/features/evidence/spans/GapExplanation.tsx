/** The explanation of a gap, from execution traces of the same process, with its caveats. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, lazy, useId, type ReactNode } from 'react';
import { formatShare, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { goroutineStateLabel } from '../../../engine/spans/goroutine-states';
import { describeOccupant } from '../../../engine/timeline/p-occupancy';
import { ErrorState, countOf } from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import {
  requestExplanation,
  explanationsQuery,
  isOpen,
  type ExplainedGap,
  type GapExplanationPart,
  type GapExplanation,
  type StackFrame,
} from './gap-explanation-types';
import classes from './gap-explanation.module.css';

const GapStrip = lazy(async () => ({
  default: (await import('../../../charts/waterfall')).GapStrip,
}));
const StateSwatch = lazy(async () => ({
  default: (await import('../../../charts/waterfall')).StateSwatch,
}));

type GapExplanationProps = {
  artifactId: string;
  traceId: string;
  /** The row of the span, and below it the index of its gap. */
  span: number;
  gap: number;
  /** Returns a link to the page of an execution trace. */
  executionLink: (artifactId: string, words: string) => ReactNode;
};

/** The job takes one or two seconds, so its state is polled often, with or without events. */
const POLL_MS = 700;
const FAILED = 'Could not explain the gap';

export function GapExplanation(props: GapExplanationProps) {
  const { artifactId, traceId, span, gap } = props;
  const client = useQueryClient();
  const pollWhile = usePollWhile();
  const options = explanationsQuery(artifactId, traceId);
  const asked = useQuery({
    ...options,
    refetchInterval: ({ state }) => pollWhile(state.data?.some(isOpen) ?? false) && POLL_MS,
  });
  const ask = useMutation({
    mutationFn: () => requestExplanation(artifactId, traceId, { span, gap }),
    onSuccess: (made) => {
      client.setQueryData(options.queryKey, (known: ExplainedGap[] | undefined) => [
        ...(known ?? []).filter(({ id }) => id !== made.id),
        made,
      ]);
    },
  });
  const mine = asked.data?.find((each) => each.span === span && each.gap === gap);
  const again = (words: string) => (
    <button type="button" className="link" disabled={ask.isPending} onClick={() => ask.mutate()}>
      {words}
    </button>
  );
  if (ask.error)
    return <ErrorState compact what={FAILED} error={ask.error} action={again('Try again')} />;
  if (!mine) return <p>{again('Explain with an execution trace')}</p>;
  if (isOpen(mine))
    return (
      <p className="muted" role="status">
        Reading execution traces…
      </p>
    );
  if (mine.state !== 'done' || !mine.document) {
    const error = Object.assign(new Error(mine.problem?.detail ?? 'The explanation failed.'), {
      facts: mine.problem ?? undefined,
    });
    return <ErrorState compact what={FAILED} error={error} action={again('Try again')} />;
  }
  return <GapExplanationBody {...props} content={mine.document} again={again} />;
}

type BodyProps = Pick<GapExplanationProps, 'executionLink'> & {
  content: GapExplanation;
  again: (words: string) => ReactNode;
};

function GapExplanationBody({ content: explanation, executionLink, again }: BodyProps) {
  const known = explanation.basis === 'id' || explanation.basis === 'clock';
  return (
    <div className={classes.explained}>
      <p className={classes.sentence}>{visibleName(explanation.sentence, 2000)}</p>
      {explanation.caveats.map((caveat) => (
        <p key={caveat} className={classes.caveat}>
          {caveat}
        </p>
      ))}
      {known && <States explanation={explanation} />}
      {explanation.basis === 'no-goroutine' && (
        <OccupantRow title="P occupancy during the gap" held={explanation.processors} />
      )}
      {explanation.gc.cycles > 0 && (
        <p className="muted">
          GC: marking for {formatValue(explanation.gc.mark_ns, 'ns')}
          {explanation.gc.stop_ns > 0 &&
            `, stop-the-world for ${formatValue(explanation.gc.stop_ns, 'ns')}`}
          .
        </p>
      )}
      {explanation.trace ? (
        <p className="muted">
          From{' '}
          {executionLink(explanation.trace.artifact_id, visibleName(explanation.trace.name, 60))}
        </p>
      ) : (
        <HowTo explanation={explanation} executionLink={executionLink} />
      )}
      {!known && <p>{again('Explain again')}</p>}
    </div>
  );
}

function HowTo({
  explanation,
  executionLink,
}: { explanation: GapExplanation } & Pick<BodyProps, 'executionLink'>) {
  return (
    <>
      {explanation.looked.length > 0 && (
        <ul>
          {explanation.looked.map(({ artifact_id, name, reason }) => (
            <li key={artifact_id}>
              {executionLink(artifact_id, visibleName(name, 60))}
              {reason && <span className="muted"> · {reason}</span>}
            </li>
          ))}
        </ul>
      )}
      <p className="muted">
        Record an execution trace while requests are traced (
        <code>/debug/pprof/trace?seconds=5</code>) and upload it. From Go 1.25 its clock is
        sufficient; with <code>trace.Log(ctx, &quot;span_id&quot;, id)</code> the goroutine is
        identified with any Go version.
      </p>
    </>
  );
}

function States({ explanation }: { explanation: GapExplanation }) {
  const id = useId();
  const all = explanation.gap.duration_ns;
  return (
    <Suspense fallback={<div className={classes.place} />}>
      <GapStrip
        pieces={explanation.pieces}
        durationNs={all}
        label="What the goroutine did in the gap, in order of time"
      />
      {explanation.pieces_total > explanation.pieces.length && (
        <p className="muted">
          Only the first {countOf(explanation.pieces.length, 'piece')} of {explanation.pieces_total}{' '}
          are drawn.
        </p>
      )}
      <table className={classes.parts} aria-label="What the goroutine did in the gap">
        <tbody>
          {explanation.parts.map((part) => (
            <tr key={`${part.state} ${part.reason}`}>
              <th scope="row">
                <StateSwatch state={part.state} id={`${id}-${part.state}`} />{' '}
                {visibleName(goroutineStateLabel(part), 80)}
                <Causes part={part} />
              </th>
              <td>{formatValue(part.ns, 'ns')}</td>
              <td className="muted">{formatShare(part.ns / Math.max(1, all))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {explanation.samples[0] && (
        <Stack
          title="CPU samples in the gap, most frequent first"
          frames={explanation.samples[0].stack}
        />
      )}
    </Suspense>
  );
}

function Causes({ part }: { part: GapExplanationPart }) {
  const { occupancy = [], stack = [], waker } = part;
  return (
    <>
      {part.times > 1 && <span className="muted"> · {part.times} times</span>}
      {occupancy.length > 0 && <OccupantRow title="behind" held={occupancy} />}
      {stack.length > 0 && <Stack title="where" frames={stack} />}
      {waker && waker.group !== '' && (
        <>
          <span className={classes.cause}>
            woken by <span className="mono">{visibleName(waker.group, 80)}</span>
          </span>
          {waker.stack.length > 0 && <Stack title="from" frames={waker.stack} />}
        </>
      )}
      {waker?.group === '' && <span className={classes.cause}>woken by the runtime</span>}
    </>
  );
}

const OCCUPANTS = 4;

function OccupantRow({ title, held }: { title: string; held: GapExplanation['processors'] }) {
  const total = held.reduce((sum, { ns }) => sum + ns, 0);
  return (
    <span className={classes.cause}>
      {title}{' '}
      {held.slice(0, OCCUPANTS).map(({ kind, group, ns }, at) => (
        <span key={`${kind} ${group}`}>
          {at > 0 && ', '}
          <span className={group ? 'mono' : undefined}>
            {visibleName(describeOccupant({ kind, group: group || null }), 80)}
          </span>{' '}
          {formatShare(ns / Math.max(1, total))}
        </span>
      ))}
    </span>
  );
}

function Stack({ title, frames }: { title: string; frames: readonly StackFrame[] }) {
  return (
    <details className={classes.cause}>
      <summary>
        {title} <span className="mono">{visibleName(leading(frames), 60)}</span>
      </summary>
      <ol className="mono">
        {frames.map((frame, at) => (
          <li key={at} title={visibleName(`${frame.file}:${frame.line}`, 300)}>
            {visibleName(frame.function, 120)}:{frame.line}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Returns the first function outside the runtime, `sync` and the like, or else the first one. */
const leading = (frames: readonly StackFrame[]): string =>
  (
    frames.find(({ function: name }) => !/^(?:runtime|internal|sync|time)\b/u.test(name)) ??
    frames[0]
  )?.function ?? '';
