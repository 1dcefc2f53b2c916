/** The toolbar of the dashboard: time range, time shift, scale, and whether it refreshes. */
import { Button, Popover, SegmentedControl, Select, TextInput } from '@mantine/core';
import { fieldText, fieldTime, fieldZone } from '../../../lib/wall-times';
import { useState, type ReactNode } from 'react';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { behindText, rangeText } from '../../../engine/dashboard/dashboard-time';
import { type TimeSpan } from '../../../engine/dashboard/time-grid';
import { Toolbar, onText } from '../../../ui';
import classes from './dashboard.module.css';
import {
  RANGES,
  explainInvalidTimeRange,
  widened,
  type TimeShift,
  type DashboardView,
  type RangeId,
} from './dashboard-url';
import { serverNow } from './dashboard-queries';
import { useNow, type LiveRefresh } from './use-live-refresh';

type ToolbarProps = {
  view: DashboardView;
  board: Dashboard | null;
  span: TimeSpan | null;
  live: LiveRefresh;
  onChange: (changed: Partial<DashboardView>) => void;
  onNotes: (open: string) => void;
  /** Starts the selection of time ranges to compare; null = not allowed. */
  onWindows: (() => void) | null;
  mapLink: (environmentId: string, words: string) => ReactNode;
};

const SCALES = [
  { value: 'auto', label: 'automatic' },
  { value: 'log', label: 'log' },
  { value: 'linear', label: 'linear' },
];
const RANGE_NAMES: Record<RangeId, string> = {
  '1h': '1 h',
  '4h': '4 h',
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
};
const TIME_SHIFT_LABELS: Record<TimeShift, string> = {
  none: 'none',
  week: 'last week',
  'before-deploy': 'before deployment',
};
const choices = <Id extends string>(names: Record<Id, string>) =>
  (Object.entries(names) as [Id, string][]).map(([value, label]) => ({ value, label }));

export function DashboardToolbar(props: ToolbarProps) {
  const { view, board, span, live, onChange, onNotes, onWindows, mapLink } = props;
  const environments = board?.environments ?? [];
  return (
    <Toolbar label="Dashboard settings">
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
          onChange={(range) => onChange({ range: range as RangeId })}
        />
      </span>
      <RangeField span={span} onSpan={(range) => onChange({ range })} />
      <span className={classes.group}>
        <span className="muted">compare with</span>
        <SegmentedControl
          aria-label="Compare with"
          data={choices(TIME_SHIFT_LABELS)}
          value={view.against}
          onChange={(against) => onChange({ against })}
        />
      </span>
      <span className={classes.group}>
        <span className="muted">latency</span>
        <SegmentedControl
          aria-label="Scale of latency"
          data={SCALES}
          value={view.scale}
          onChange={(scale) => onChange({ scale: scale as DashboardView['scale'] })}
        />
      </span>
      <SplitChip view={view} board={board} onChange={onChange} />
      <span className="grow" />
      {board?.environment && mapLink(board.environment.id, 'Service map')}
      {onWindows && board?.environment && !board.empty && (
        <button
          type="button"
          className={`link ${classes.notesButton}`}
          aria-label="Compare time ranges"
          title="Compare two time ranges"
          onClick={onWindows}
        >
          Compare time ranges
        </button>
      )}
      {board?.environment && !board.empty && (
        <button
          type="button"
          className={`link ${classes.notesButton}`}
          onClick={() => onNotes('all')}
        >
          Annotations
        </button>
      )}
      <LiveState live={live} board={board} view={view} onChange={onChange} />
    </Toolbar>
  );
}

/** Shows which service is split by which label, and removes the split on click. */
function SplitChip({ view, board, onChange }: Pick<ToolbarProps, 'view' | 'board' | 'onChange'>) {
  const { split } = view;
  if (!split) return null;
  const name = board?.rows.find(({ service }) => service.id === split.service)?.service.name;
  return (
    <Button
      variant="light"
      aria-label={`Do not split ${name ?? 'the service'} by ${split.label}`}
      onClick={() => onChange({ split: null })}
    >
      {name ?? 'Split'} by {split.label} ×
    </Button>
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
              onChange({ range: widened(view.range, serverNow()) });
          }}
        >
          Zoom out
        </button>
        <button type="button" className="link" onClick={() => onChange({ range: '4h' })}>
          Live
        </button>
      </span>
    );
  const behind = board.newestMs === null ? null : Math.max(0, now - board.newestMs);
  // Without a new sample for 5 minutes, the dashboard is not "live".
  const fresh = behind !== null && behind < 5 * 60_000;
  return (
    <span className={`${classes.live} muted`} title="Newest sample of all services">
      <i className={fresh && live.state === 'live' ? classes.dotLive : classes.dotHeld} />
      {live.state === 'held' ? 'paused while inspecting' : fresh ? 'live' : 'no new samples'}
      {behind !== null && `, ${behindText(behind)}`}
    </span>
  );
}

type RangeProps = { span: TimeSpan | null; onSpan: (span: TimeSpan) => void };

/** The current time range, and a form to choose another one. */
function RangeField({ span, onSpan }: RangeProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus>
      <Popover.Target>
        <Button className={classes.rangeButton} onClick={() => setOpen(!open)}>
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

/** The form starts with the range shown when it opens; a refresh does not change its fields. */
function RangeForm({ span, onSpan }: RangeProps) {
  const [from, setFrom] = useState(span ? fieldText(span.fromMs) : '');
  const [to, setTo] = useState(span ? fieldText(span.toMs) : '');
  const wanted = { fromMs: fieldTime(from), toMs: fieldTime(to) };
  const why = from === '' || to === '' ? '' : explainInvalidTimeRange(wanted);
  return (
    <form
      className={classes.rangeForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) onSpan(wanted);
      }}
    >
      <TextInput
        label={`From, ${fieldZone(from)}`}
        type="datetime-local"
        required
        value={from}
        onChange={onText(setFrom)}
      />
      <TextInput
        label={`To, ${fieldZone(to)}`}
        type="datetime-local"
        required
        value={to}
        error={why}
        onChange={onText(setTo)}
      />
      <Button type="submit" variant="filled" disabled={why !== null}>
        Show
      </Button>
    </form>
  );
}
