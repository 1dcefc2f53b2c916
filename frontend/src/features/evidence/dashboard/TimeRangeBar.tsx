/** Shows which time range to select next, while two time ranges are selected for a comparison. */
import { Button } from '@mantine/core';
import { zoneText } from '../../../lib/times';
import { ErrorState } from '../../../ui';
import classes from './dashboard.module.css';
import type { RangeSelection } from './use-range-selection';
import { earlierRange, earlierWeek, rangeLabel } from './time-ranges';

export function TimeRangeBar({ windows }: { windows: RangeSelection }) {
  const { wants, candidate, pending, refused, error, chosen, end } = windows;
  if (wants === 'zoom') return null;
  return (
    <>
      <div className={classes.windowBar} role="group" aria-label="Compare two time ranges">
        <p role="status">
          {candidate ? (
            <>
              Compare <b>{candidate.service.name}</b>, {rangeLabel(candidate, candidate)}{' '}
              {zoneText(candidate.toMs)} with another time range: drag over one in any row, or use
            </>
          ) : (
            'Drag over a time range in the row of a service. With the keyboard: Shift and arrow keys on a row, then Enter.'
          )}
          {refused && <span className="err"> {refused}</span>}
        </p>
        {candidate && (
          <>
            <Button loading={pending} onClick={() => chosen(earlierRange(candidate))}>
              Previous period
            </Button>
            <Button disabled={pending} onClick={() => chosen(earlierWeek(candidate))}>
              Previous week
            </Button>
          </>
        )}
        <Button variant="subtle" onClick={end}>
          Cancel
        </Button>
      </div>
      {error && (
        <div className={classes.inset}>
          <ErrorState compact what="Could not compare the time ranges" error={error} />
        </div>
      )}
    </>
  );
}
