import type { ReactNode } from 'react';
import { ErrorState } from '../../ui';
import { limitText } from './wording';

type ProblemProps = { what?: string; error: unknown; action?: ReactNode };

/** What went wrong with a source, in its place, with the numbers of a limit. */
export function SourceProblem({ what, error, action }: ProblemProps) {
  const limit = limitText(error);
  return (
    <ErrorState
      compact
      what={what}
      error={error}
      action={
        action || limit ? (
          <>
            {action}
            {limit && <span className="muted">{limit}</span>}
          </>
        ) : undefined
      }
    />
  );
}
