/**
 * The toolbar of the graph: sides, basis, granularity, search, and less frequent choices in two
 * menus.
 */
import { Button, Menu, Popover, SegmentedControl, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ViewDescription } from '../../../../api';
import type { FlameView } from '../../../../engine/flame/flame-view';
import { compilePattern } from '../../../../engine/flame/name-pattern';
import { Toolbar, countOf, onText } from '../../../../ui';
import classes from '../shared/Page.module.css';

const BASES: { id: string; name: string; missing: string }[] = [
  { id: 'share', name: 'share', missing: 'No total for shares' },
  { id: 'mean', name: 'mean', missing: 'Only for values held at one time, such as heap in use' },
  { id: 'per_second', name: 'CPU s per s', missing: 'Some profiles do not record their duration' },
  {
    id: 'per_request',
    name: 'per request',
    missing:
      'Needs the requests served during every profile: enter them in the upload drawer, or add F.metadata.json beside F',
  },
];

/**
 * Returns the bases to offer. What is measured at one time (memory in use, goroutines) has a mean
 * over snapshots and no rate.
 */
const basesFor = (offered: readonly string[]) =>
  BASES.filter(({ id }) =>
    offered.includes('mean') ? id === 'share' || id === 'mean' : id !== 'mean',
  );

type ToolbarProps = {
  view: ViewDescription;
  /** The sample types of this kind, if there are several. */
  sampleTypes: string[];
  flame: FlameView;
  matches: ReactNode;
  onFlame: (flame: FlameView) => void;
  onSampleType: (sampleType: string) => void;
};

export function FlameToolbar({
  view,
  sampleTypes,
  flame,
  matches,
  onFlame,
  onSampleType,
}: ToolbarProps) {
  const offered = view.normalizations;
  const perSecond = view.kind === 'cpu' ? 'CPU s per s' : 'per second';
  const change = (changed: Partial<FlameView>) => onFlame({ ...flame, ...changed });
  return (
    <Toolbar label="Flame graph">
      <SegmentedControl
        className={classes.segments}
        aria-label="Sides"
        value={flame.mode}
        onChange={(mode) => change({ mode: mode })}
        data={[
          { value: 'overlay', label: 'overlay' },
          { value: 'side-by-side', label: 'side by side' },
          { value: 'base', label: 'base' },
          { value: 'candidate', label: 'candidate' },
        ]}
      />
      <Label>normalize by</Label>
      <SegmentedControl
        className={classes.segments}
        aria-label="Normalize by"
        // A basis in the URL that these files do not have is drawn as the default one.
        value={offered.includes(flame.basis) ? flame.basis : (view.default_normalization ?? '')}
        onChange={(basis) => change({ basis })}
        data={basesFor(offered).map(({ id, name, missing }) => ({
          value: id,
          disabled: !offered.includes(id),
          label: (
            <span title={offered.includes(id) ? undefined : missing}>
              {id === 'per_second' ? perSecond : name}
            </span>
          ),
        }))}
      />
      <Label>granularity</Label>
      <SegmentedControl
        className={classes.segments}
        aria-label="Granularity"
        value={flame.granularity}
        // Another granularity has another tree, which does not contain the frame of this zoom.
        onChange={(granularity) => change({ granularity: granularity, zoom: '', span: null })}
        data={['package', 'function', 'line']}
      />
      <ViewMenu
        flame={flame}
        change={change}
        sampleTypes={sampleTypes}
        sampleType={view.sample_type}
        onSampleType={onSampleType}
      />
      <Filters flame={flame} change={change} />
      <div className={classes.finding}>
        <span className={classes.matches} aria-live="polite">
          {matches}
        </span>
        <SearchField flame={flame} change={change} />
      </div>
    </Toolbar>
  );
}

function Label({ children }: { children: string }) {
  return <span className={classes.label}>{children}</span>;
}

type ChangeProps = { flame: FlameView; change: (changed: Partial<FlameView>) => void };

type MenuProps = ChangeProps & {
  sampleTypes: string[];
  sampleType: string;
  onSampleType: (sampleType: string) => void;
};

function ViewMenu({ flame, change, sampleTypes, sampleType, onSampleType }: MenuProps) {
  return (
    <Menu position="bottom-start" width={210}>
      <Menu.Target>
        <Button className={classes.small}>View</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={flame.orientation}
          onChange={(orientation) =>
            change({ orientation: orientation as FlameView['orientation'] })
          }
        >
          <Menu.RadioItem value="icicle">Icicle, callers on top</Menu.RadioItem>
          <Menu.RadioItem value="flame">Flame, callers below</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.CheckboxItem
          checked={flame.collapseRecursion}
          onChange={(collapseRecursion) => change({ collapseRecursion })}
        >
          Collapse recursion
        </Menu.CheckboxItem>
        <Menu.CheckboxItem
          checked={flame.collapseCallers}
          disabled={flame.mode !== 'overlay'}
          onChange={(collapseCallers) => change({ collapseCallers, expanded: '' })}
        >
          Collapse callers with the same change
        </Menu.CheckboxItem>
        {sampleTypes.length > 1 && (
          <>
            <Menu.Divider />
            <Menu.Label>Measured</Menu.Label>
            <Menu.RadioGroup value={sampleType} onChange={onSampleType}>
              {sampleTypes.map((type) => (
                <Menu.RadioItem key={type} value={type}>
                  {type.replaceAll('_', ' ')}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

const FILTERS = [
  { key: 'focus', name: 'Focus', hint: 'Only stacks containing' },
  { key: 'ignore', name: 'Ignore', hint: 'Exclude stacks containing' },
  { key: 'hide', name: 'Hide', hint: 'Hide frames matching' },
] as const;

function Filters({ flame, change }: ChangeProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-start"
      width={300}
      trapFocus
      withRoles
    >
      <Popover.Target>
        <Button className={classes.small} onClick={() => setOpen(!open)}>
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          key={FILTERS.map(({ key }) => flame[key]).join(' ')}
          className={classes.filters}
          onSubmit={(event) => {
            event.preventDefault();
            const read = new FormData(event.currentTarget);
            const text = (name: string) => {
              const value = read.get(name);
              return typeof value === 'string' ? value : '';
            };
            change({ focus: text('focus'), ignore: text('ignore'), hide: text('hide') });
            setOpen(false);
          }}
        >
          {FILTERS.map(({ key, name, hint }) => (
            <TextInput
              key={key}
              name={key}
              label={name}
              description={`${hint} (regular expression)`}
              defaultValue={flame[key]}
              error={patternError(flame[key])}
            />
          ))}
          <Button type="submit">Apply</Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Returns why a regular expression is invalid; undefined if it is valid. */
export function patternError(pattern: string): string | undefined {
  try {
    compilePattern({ pattern, regex: true, caseSensitive: true });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Shows each filter and zoom of the graph, with a button that removes it. No filter is hidden. */
export function FilterChips({
  flame,
  onFlame,
  finding = null,
  callers = 0,
}: {
  flame: FlameView;
  onFlame: (flame: FlameView) => void;
  /** Number of the finding that the graph is zoomed to. */
  finding?: number | null;
  /** How many callers are collapsed. */
  callers?: number;
}) {
  const zoom =
    finding === null
      ? { words: 'zoomed in', value: '' }
      : { words: 'Zoom:', value: `finding ${finding}` };
  const chips: { key: string; words: string; value: string; without: Partial<FlameView> }[] = [
    ...FILTERS.filter(({ key }) => flame[key] !== '').map(({ key, name }) => ({
      key,
      words: name.toLowerCase(),
      value: flame[key],
      without: { [key]: '' },
    })),
    ...(flame.sandwich
      ? [
          {
            key: 'sandwich',
            words: 'callers and callees of',
            value: flame.sandwich,
            without: { sandwich: '' },
          },
        ]
      : []),
    ...(flame.collapseRecursion
      ? [
          {
            key: 'flat',
            words: 'recursion collapsed',
            value: '',
            without: { collapseRecursion: false },
          },
        ]
      : []),
    ...(flame.zoom ? [{ key: 'zoom', ...zoom, without: { zoom: '', span: null } }] : []),
    ...(callers > 0
      ? [
          {
            key: 'callers',
            words: `${countOf(callers, 'caller')} collapsed`,
            value: '',
            without: { collapseCallers: false, expanded: '' },
          },
        ]
      : []),
    ...(flame.expanded
      ? [
          {
            key: 'expanded',
            words: 'callers expanded',
            value: '',
            without: { expanded: '' },
          },
        ]
      : []),
  ];
  if (chips.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label="Shown">
      {chips.map(({ key, words, value, without }) => (
        <li key={key} className={classes.chip}>
          <span className="muted nowrap">{words}</span> <span className="mono cut">{value}</span>
          <button
            type="button"
            aria-label={`Without ${words} ${value}`}
            onClick={() => onFlame({ ...flame, ...without })}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

const PAUSE_MS = 250;

function SearchField({ flame, change }: ChangeProps) {
  const { pattern, regex } = flame.search;
  const [text, setText] = useState(pattern);
  const [from, setFrom] = useState(pattern);
  // The URL changed (a link, a clicked row): the field shows the current search.
  if (from !== pattern) {
    setFrom(pattern);
    setText(pattern);
  }
  const latest = useRef(change);
  useEffect(() => {
    latest.current = change;
  });
  useEffect(() => {
    if (text === pattern) return;
    const timer = setTimeout(
      () => latest.current({ search: { ...flame.search, pattern: text } }),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [text, pattern, flame.search]);
  const error = regex ? patternError(text) : undefined;
  return (
    <TextInput
      className={classes.search}
      aria-label="Search frames"
      placeholder="Search frames"
      classNames={{ input: 'mono' }}
      value={text}
      error={error !== undefined}
      title={error}
      onChange={onText(setText)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setText('');
        event.stopPropagation();
      }}
      rightSection={
        <button
          type="button"
          className={classes.regex}
          aria-pressed={regex}
          aria-label="Regular expression"
          title={regex ? 'Match as a regular expression' : 'Match as plain text'}
          onClick={() => change({ search: { ...flame.search, pattern: text, regex: !regex } })}
        >
          .*
        </button>
      }
    />
  );
}
