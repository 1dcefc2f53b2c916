/** Why a gap is there: asked of the execution traces of the same process, and told with its doubts. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, lazy, useId, type ReactNode } from 'react';
import { formatShare, formatValue, visibleName } from '../../engine';
import { stateWords } from '../../engine/gap-states';
import { heldByWords } from '../../engine/held-by';
import { ErrorState, countOf } from '../../ui';
import { usePollWhile } from '../work';
import {
  askForExplanation,
  explanationsQuery,
  isOpen,
  readExplanation,
  type AskedGap,
  type ExplainedPart,
  type Explanation,
  type StackFrame,
} from './explanations';
import classes from './explained.module.css';

const GapStrip = lazy(async () => ({
  default: (await import('../../charts/waterfall')).GapStrip,
}));
const StateSwatch = lazy(async () => ({
  default: (await import('../../charts/waterfall')).StateSwatch,
}));

export type ExplainedProps = {
  artifactId: string;
  traceId: string;
  /** Row of the span, and number of its gap. */
  span: number;
  gap: number;
  /** A link to the page of an execution trace. */
  executionLink: (artifactId: string, words: string) => ReactNode;
};

/** Found out in a second or two: worth asking often, events or not. */
const POLL_MS = 700;
const FAILED = 'The gap could not be explained';

export function Explained(props: ExplainedProps) {
  const { artifactId, traceId, span, gap } = props;
  const client = useQueryClient();
  const pollWhile = usePollWhile();
  const options = explanationsQuery(artifactId, traceId);
  const asked = useQuery({
    ...options,
    refetchInterval: ({ state }) => pollWhile(state.data?.some(isOpen) ?? false) && POLL_MS,
  });
  const ask = useMutation({
    mutationFn: () => askForExplanation(artifactId, traceId, { span, gap }),
    onSuccess: (made) => {
      client.setQueryData(options.queryKey, (known: AskedGap[] | undefined) => [
        ...(known ?? []).filter(({ id }) => id !== made.id),
        made,
      ]);
    },
  });
  const mine = asked.data?.find((each) => each.span === span && each.gap === gap);
  const again = (words: string) => (
    <button
      type="button"
      className="link"
      disabled={ask.isPending}
      onClick={() => {
        ask.mutate();
      }}
    >
      {words}
    </button>
  );
  if (ask.error)
    return <ErrorState compact what={FAILED} error={ask.error} action={again('Try again')} />;
  if (!mine) return <p>{again('Explain it from an execution trace')}</p>;
  if (isOpen(mine))
    return (
      <p className="muted" role="status">
        Looking into execution traces…
      </p>
    );
  if (mine.state !== 'done' || !mine.content) {
    const error = Object.assign(new Error(mine.problem?.detail ?? 'It could not be found out.'), {
      facts: mine.problem ?? undefined,
    });
    return <ErrorState compact what={FAILED} error={error} action={again('Try again')} />;
  }
  return <Told {...props} content={mine.content} again={again} />;
}

type ToldProps = Pick<ExplainedProps, 'executionLink'> & {
  content: unknown;
  again: (words: string) => ReactNode;
};

function Told({ content, executionLink, again }: ToldProps) {
  let told: Explanation;
  try {
    told = readExplanation(content);
  } catch (error) {
    return <ErrorState compact error={error} />;
  }
  const known = told.basis === 'id' || told.basis === 'clock';
  return (
    <div className={classes.explained}>
      <p className={classes.sentence}>{visibleName(told.sentence, 2000)}</p>
      {told.doubts.map((doubt) => (
        <p key={doubt} className={classes.doubt}>
          {doubt}
        </p>
      ))}
      {known && <States told={told} />}
      {told.basis === 'nobody' && (
        <Held title="Meanwhile the Ps were held by" held={told.processors} />
      )}
      {told.gc.cycles > 0 && (
        <p className="muted">
          GC: marking for {formatValue(told.gc.mark_ns, 'ns')}
          {told.gc.stop_ns > 0 && `, the world stopped for ${formatValue(told.gc.stop_ns, 'ns')}`}.
        </p>
      )}
      {told.trace ? (
        <p className="muted">
          From {executionLink(told.trace.artifact_id, visibleName(told.trace.name, 60))}
        </p>
      ) : (
        <HowTo told={told} executionLink={executionLink} />
      )}
      {!known && <p>{again('Ask again')}</p>}
    </div>
  );
}

function HowTo({ told, executionLink }: { told: Explanation } & Pick<ToldProps, 'executionLink'>) {
  return (
    <>
      {told.looked.length > 0 && (
        <ul>
          {told.looked.map(({ artifact_id, name, why }) => (
            <li key={artifact_id}>
              {executionLink(artifact_id, visibleName(name, 60))}
              {why && <span className="muted"> · {why}</span>}
            </li>
          ))}
        </ul>
      )}
      <p className="muted">
        Record one while requests are traced (<code>/debug/pprof/trace?seconds=5</code>) and upload
        it. From Go 1.25 on its clock is enough; with{' '}
        <code>trace.Log(ctx, &quot;span_id&quot;, id)</code> it is certain whose gap it is, with any
        Go.
      </p>
    </>
  );
}

function States({ told }: { told: Explanation }) {
  const id = useId();
  const all = told.gap.duration_ns;
  return (
    <Suspense fallback={<div className={classes.place} />}>
      <GapStrip
        pieces={told.pieces}
        durationNs={all}
        label="What the goroutine did in the gap, in order of time"
      />
      {told.pieces_total > told.pieces.length && (
        <p className="muted">
          Only the first {countOf(told.pieces.length, 'piece')} of {told.pieces_total} are drawn.
        </p>
      )}
      <table className={classes.parts} aria-label="What the goroutine did in the gap">
        <tbody>
          {told.parts.map((part) => (
            <tr key={`${part.state} ${part.reason}`}>
              <th scope="row">
                <StateSwatch state={part.state} id={`${id}-${part.state}`} />{' '}
                {visibleName(stateWords(part), 80)}
                <Causes part={part} />
              </th>
              <td>{formatValue(part.ns, 'ns')}</td>
              <td className="muted">{formatShare(part.ns / Math.max(1, all))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {told.samples[0] && (
        <Stack title="CPU samples in it, most often" frames={told.samples[0].stack} />
      )}
    </Suspense>
  );
}

function Causes({ part }: { part: ExplainedPart }) {
  const { blame = [], stack = [], waker } = part;
  return (
    <>
      {part.times > 1 && <span className="muted"> · {part.times} times</span>}
      {blame.length > 0 && <Held title="behind" held={blame} />}
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

const HOLDERS = 4;

function Held({ title, held }: { title: string; held: Explanation['processors'] }) {
  const total = held.reduce((sum, { ns }) => sum + ns, 0);
  return (
    <span className={classes.cause}>
      {title}{' '}
      {held.slice(0, HOLDERS).map(({ kind, group, ns }, at) => (
        <span key={`${kind} ${group}`}>
          {at > 0 && ', '}
          <span className={group ? 'mono' : undefined}>
            {visibleName(heldByWords({ kind, group: group || null }), 80)}
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

/** The first frame that is not the runtime's or a lock's own. */
const leading = (frames: readonly StackFrame[]): string =>
  (
    frames.find(({ function: name }) => !/^(?:runtime|internal|sync|time)\b/u.test(name)) ??
    frames[0]
  )?.function ?? '';
