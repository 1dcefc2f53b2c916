/** What part of the past is shown, beside what, on which scale; and whether it goes on. */
import { Button, Popover, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Board } from '../../engine/board-file';
import { behindText, rangeText, type TimeSpan } from '../../engine/board-time';
import { Toolbar } from '../../ui';
import classes from './board.module.css';
import { RANGES, whyNoRange, widened, type Against, type BoardView, type RangeId } from './url';
import { useNow, type Live } from './use-live';

type ToolbarProps = {
  view: BoardView;
  board: Board | null;
  span: TimeSpan | null;
  live: Live;
  onChange: (changed: Partial<BoardView>) => void;
  onNotes: (open: string) => void;
  /** Begins to choose windows to compare; null = not allowed. */
  onWindows: (() => void) | null;
  mapLink: (environmentId: string, words: string) => ReactNode;
};

const RANGE_NAMES: Record<RangeId, string> = {
  '1h': '1 h',
  '4h': '4 h',
  '24h': '24 h',
  '7d': '7 d',
};
const AGAINST_NAMES: Record<Against, string> = {
  none: 'nothing',
  week: 'last week',
  'before-deploy': 'before deploy',
};
const choices = <Id extends string>(names: Record<Id, string>) =>
  (Object.entries(names) as [Id, string][]).map(([value, label]) => ({ value, label }));

export function BoardToolbar(props: ToolbarProps) {
  const { view, board, span, live, onChange, onNotes, onWindows, mapLink } = props;
  const environments = board?.environments ?? [];
  return (
    <Toolbar label="What the board shows">
      {environments.length > 1 && (
        <span className={classes.group}>
          <span className="muted">in</span>
          <Select
            aria-label="Environment"
            data={environments.map(({ id, name }) => ({ value: id, label: name }))}
            value={board?.environment?.id ?? null}
            allowDeselect={false}
            w={130}
            onChange={(environment) => {
              if (environment) onChange({ environment, deploy: '', note: '' });
            }}
          />
        </span>
      )}
      <span className={classes.group}>
        <span className="muted">range</span>
        <SegmentedControl
          aria-label="Range"
          data={RANGES.map((value) => ({ value, label: RANGE_NAMES[value] }))}
          value={typeof view.range === 'string' ? view.range : ''}
          onChange={(range) => {
            onChange({ range: range as RangeId });
          }}
        />
      </span>
      <RangeField
        span={span}
        onSpan={(range) => {
          onChange({ range });
        }}
      />
      <span className={classes.group}>
        <span className="muted">against</span>
        <SegmentedControl
          aria-label="Against"
          data={choices(AGAINST_NAMES)}
          value={view.against}
          onChange={(against) => {
            onChange({ against });
          }}
        />
      </span>
      <span className={classes.group}>
        <span className="muted">latency</span>
        <SegmentedControl
          aria-label="Scale of latency"
          data={['log', 'linear']}
          value={view.scale}
          onChange={(scale) => {
            onChange({ scale });
          }}
        />
      </span>
      <span className="grow" />
      {board?.environment && mapLink(board.environment.id, 'Service map')}
      {onWindows && board?.environment && !board.empty && (
        <button
          type="button"
          className={`link ${classes.notesButton}`}
          aria-label="Compare windows"
          title="Compare two windows of metrics"
          onClick={onWindows}
        >
          Windows
        </button>
      )}
      {board?.environment && !board.empty && (
        <button
          type="button"
          className={`link ${classes.notesButton}`}
          onClick={() => {
            onNotes('all');
          }}
        >
          Notes
        </button>
      )}
      <LiveState live={live} board={board} view={view} onChange={onChange} />
    </Toolbar>
  );
}

function LiveState({
  live,
  board,
  view,
  onChange,
}: Omit<ToolbarProps, 'span' | 'onNotes' | 'onWindows' | 'mapLink'>) {
  const now = useNow(live.state === 'live');
  if (!board || board.empty) return null;
  if (live.state === 'fixed')
    return (
      <span className={classes.live}>
        <button
          type="button"
          className="link"
          onClick={() => {
            if (typeof view.range !== 'string')
              onChange({ range: widened(view.range, Date.now()) });
          }}
        >
          Wider
        </button>
        <button
          type="button"
          className="link"
          onClick={() => {
            onChange({ range: '4h' });
          }}
        >
          Back to live
        </button>
      </span>
    );
  const behind = board.newestMs === null ? null : Math.max(0, now - board.newestMs);
  // A minute without anything new is no longer "live", whatever the page does.
  const fresh = behind !== null && behind < 5 * 60_000;
  return (
    <span className={`${classes.live} muted`} title="Newest sample of all services">
      <i className={fresh && live.state === 'live' ? classes.dotLive : classes.dotHeld} />
      {live.state === 'held' ? 'held while you look' : fresh ? 'live' : 'nothing new'}
      {behind !== null && `, ${behindText(behind)}`}
    </span>
  );
}

const fieldText = (atMs: number): string => new Date(atMs).toISOString().slice(0, 16);
const fieldTime = (text: string): number => Date.parse(`${text}Z`);

type RangeProps = { span: TimeSpan | null; onSpan: (span: TimeSpan) => void };

/** The range that is shown, and a form for another one. */
function RangeField({ span, onSpan }: RangeProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus>
      <Popover.Target>
        <Button
          className={classes.rangeButton}
          onClick={() => {
            setOpen(!open);
          }}
        >
          {span ? rangeText(span) : 'Choose a range'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <RangeForm
          span={span}
          onSpan={(wanted) => {
            setOpen(false);
            onSpan(wanted);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Begins with what is shown when it is opened; a board that goes on meanwhile leaves alone what was typed. */
function RangeForm({ span, onSpan }: RangeProps) {
  const [from, setFrom] = useState(span ? fieldText(span.fromMs) : '');
  const [to, setTo] = useState(span ? fieldText(span.toMs) : '');
  const wanted = { fromMs: fieldTime(from), toMs: fieldTime(to) };
  const why = from === '' || to === '' ? '' : whyNoRange(wanted);
  return (
    <form
      className={classes.rangeForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) onSpan(wanted);
      }}
    >
      <TextInput
        label="From, UTC"
        type="datetime-local"
        required
        value={from}
        onChange={(event) => {
          setFrom(event.currentTarget.value);
        }}
      />
      <TextInput
        label="To, UTC"
        type="datetime-local"
        required
        value={to}
        error={why}
        onChange={(event) => {
          setTo(event.currentTarget.value);
        }}
      />
      <Button type="submit" variant="filled" disabled={why !== null}>
        Show
      </Button>
    </form>
  );
}
