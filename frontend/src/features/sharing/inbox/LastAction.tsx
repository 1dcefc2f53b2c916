import { Button } from '@mantine/core';
import { ErrorState } from '../../../ui';
import classes from './inbox.module.css';
import type { Triage } from './use-triage';

/** The last action with its undo, or the reason why it failed. */
export function LastAction({ triage }: { triage: Triage }) {
  const { done, error, isPending, undo } = triage;
  return (
    <span className={classes.last} role="status">
      {error && <ErrorState compact what="Could not save the change" error={error} />}
      {done && (
        <>
          <span>{done.sentence}</span>
          {done.problems.map((problem) => (
            <span key={problem} className="err">
              {problem}
            </span>
          ))}
          <Button
            className={classes.action}
            disabled={isPending || done.undo.length === 0}
            title={done.undo.length === 0 ? 'Nothing was changed.' : undefined}
            rightSection={<kbd aria-hidden>u</kbd>}
            onClick={undo}
          >
            Undo
          </Button>
        </>
      )}
    </span>
  );
}
