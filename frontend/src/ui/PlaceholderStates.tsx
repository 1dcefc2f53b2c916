/** The empty, loading and error states of a part of a page, in its place at its final height. */
import { Component, useEffect, useState, type ErrorInfo, type ReactNode } from 'react';
import { countText, sizeText } from './format-amounts';
import { HelpLink } from './HelpLink';
import { useIsSnapshot } from './SnapshotContext';
import type { HelpTopic } from './help-topics';
import classes from './PlaceholderStates.module.css';

type EmptyStateProps = { children: ReactNode; action?: ReactNode; help?: HelpTopic };

/** Shows what is missing in one sentence, an action, and a link to the topic of the user guide. */
export function EmptyState({ children, action, help }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      <p>{children}</p>
      {action}
      {help && <HelpLink topic={help} />}
    </div>
  );
}

/** Description of an error: that of a `Problem` of the API client, or made of a plain Error. */
type ErrorDescription = {
  title?: string;
  detail: string;
  limit?: number | null;
  value?: number | null;
  unit?: string | null;
  resolution?: string | null;
  request_id?: string | null;
};

export function describeError(error: unknown): ErrorDescription {
  if (error instanceof Error) {
    const facts = (error as Error & { facts?: ErrorDescription }).facts;
    return facts ?? { title: 'Something went wrong on this page', detail: error.message };
  }
  return { title: 'Something went wrong on this page', detail: String(error) };
}

/** Returns the numbers of a limit, unless the detail contains numbers. */
function limitText({ detail, limit, value, unit }: ErrorDescription): string | undefined {
  if (limit == null || !unit || /\d/u.test(detail)) return undefined;
  const amount = (n: number) => (unit === 'bytes' ? sizeText(n) : `${countText(n)} ${unit}`);
  return `limit ${amount(limit)}${value == null ? '' : `, here ${amount(value)}`}`;
}

type ErrorStateProps = { error: unknown; what?: string; action?: ReactNode; compact?: boolean };

/** Shows what failed, why with its numbers, and a solution. The rest of the page works. */
export function ErrorState({ error, what, action, compact = false }: ErrorStateProps) {
  const described = describeError(error);
  const limit = limitText(described);
  // A request missing from a snapshot is not a failure.
  if (useIsSnapshot() && (error as { slug?: unknown }).slug === 'not-recorded')
    return (
      <p className={classes.remedy}>
        {described.title}. {described.detail}
      </p>
    );
  return (
    <div className={compact ? classes.errorCompact : classes.error} role="alert">
      <p>
        <b className={classes.errorTitle}>{what ?? described.title}</b>
        {(what === undefined || described.detail !== '') && (
          <> · {described.detail || described.title}</>
        )}
      </p>
      {described.resolution && <p className={classes.remedy}>{described.resolution}</p>}
      {(action !== undefined || limit !== undefined || described.request_id) && (
        <div className={classes.actions}>
          {action}
          {limit !== undefined && <span className="muted">{limit}</span>}
          {described.request_id && <span className="muted">request {described.request_id}</span>}
        </div>
      )}
    </div>
  );
}

/** Returns true after `after` milliseconds; a quick response needs no loading indicator. */
export function useIsSlow(after = 200): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), after);
    return () => clearTimeout(timer);
  }, [after]);
  return slow;
}

type SkeletonProps = { rows: number; height?: number; label?: string };

/** Placeholder rows at their final heights, visible only if loading takes longer than 200 ms. */
export function SkeletonRows({ rows, height = 30, label = 'Loading' }: SkeletonProps) {
  const slow = useIsSlow();
  return (
    <div
      role="status"
      aria-label={label}
      aria-live="polite"
      className={slow ? classes.slow : classes.quick}
    >
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={classes.skeleton} style={{ height }}>
          <i style={{ width: `${34 - ((row * 7) % 17)}%` }} />
        </div>
      ))}
    </div>
  );
}

type BoundaryProps = { children: ReactNode; what: string; resetKey?: string };

/** An error boundary: an error in one part does not remove the rest of the page. */
export class ProblemBoundary extends Component<BoundaryProps, { error: unknown; key?: string }> {
  override state: { error: unknown; key?: string } = { error: null };

  private readonly tryAgain = () => this.setState({ error: null });

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  static getDerivedStateFromProps(props: BoundaryProps, state: { error: unknown; key?: string }) {
    return props.resetKey === state.key ? null : { error: null, key: props.resetKey };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo) {
    console.error(this.props.what, error, info.componentStack);
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <ErrorState
        error={this.state.error}
        what={this.props.what}
        action={
          <button type="button" className="link" onClick={this.tryAgain}>
            Try again
          </button>
        }
      />
    );
  }
}
