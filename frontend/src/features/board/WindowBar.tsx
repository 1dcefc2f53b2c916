/** What is dragged over next, when two windows of metrics are chosen to be compared. */
import { Button } from '@mantine/core';
import { ErrorState } from '../../ui';
import classes from './board.module.css';
import type { Windows } from './use-windows';
import { before, weekBefore, windowText } from './windows';

export function WindowBar({ windows }: { windows: Windows }) {
  const { wants, candidate, pending, refused, error, chosen, end } = windows;
  if (wants === 'zoom') return null;
  return (
    <>
      <div className={classes.windowBar} role="group" aria-label="Compare two windows">
        <p role="status">
          {candidate ? (
            <>
              Compare <b>{candidate.service.name}</b>, {windowText(candidate, candidate)} UTC, with
              another window: drag over it in any row, or take
            </>
          ) : (
            'Drag over the window to compare, in the row of its service. With keys: Shift and arrows on a row, then Enter.'
          )}
          {refused && <span className="err"> {refused}</span>}
        </p>
        {candidate && (
          <>
            <Button
              loading={pending}
              onClick={() => {
                chosen(before(candidate));
              }}
            >
              As long before it
            </Button>
            <Button
              disabled={pending}
              onClick={() => {
                chosen(weekBefore(candidate));
              }}
            >
              A week before
            </Button>
          </>
        )}
        <Button variant="subtle" onClick={end}>
          Cancel
        </Button>
      </div>
      {error && (
        <div className={classes.inset}>
          <ErrorState compact what="The windows could not be compared" error={error} />
        </div>
      )}
    </>
  );
}
