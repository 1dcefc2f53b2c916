/**
 * The drawer of uploaded files before a comparison: two sides, progress and errors of each file,
 * and one button.
 */
import { Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useEffect, useRef, type DragEvent, type ReactNode } from 'react';
import type { Artifact } from '../../../api';
import { ErrorState, SideMark } from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import classes from './Drawer.module.css';
import { UploadDrawerRow } from './UploadDrawerRow';
import { pickedFiles } from './dropped-files';
import { ITEM_TYPE } from './drag-type';
import { batchQuery, isUnderWay } from './artifact-queries';
import { hasStacks } from './artifact-wording';
import { tray } from './tray-store';
import type { TrayItem } from './tray-types';
import type { SideName } from './side-guess';
import { isReady, summarizeUploads, type UploadSummary } from './upload-summary';
import { useTray } from './use-tray';
import { onTrayKey, useTraySelection, type TraySelection } from './use-tray-selection';

export type Ready = Record<SideName, { artifact_ids: string[]; label: string }>;

type DrawerProps = {
  /** Compares these artifacts. */
  onCompare: (ready: Ready) => void;
  comparing: boolean;
  compareError: unknown;
  /** Opens decoded artifacts as profiles, without a comparison. */
  onOpen: (artifactIds: string[]) => void;
};

export function UploadDrawer({ onCompare, comparing, compareError, onOpen }: DrawerProps) {
  const { items, labels, reason, strays } = useTray();
  const artifacts = useBatches(items);
  useEffect(() => tray.unpackArchives(artifacts), [artifacts]);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    head.current?.focus({ preventScroll: true });
  }, []);

  const ready = (side: SideName) =>
    items
      .filter((item) => item.side === side)
      .flatMap((item) => {
        const artifact = item.artifactId ? artifacts.get(item.artifactId) : undefined;
        return artifact && isReady(artifact) ? [artifact.id] : [];
      });
  const [base, candidate] = [ready('base'), ready('candidate')];
  const shown = SIDES.flatMap((side) => sortedRows(items, side));
  const selection = useTraySelection(shown.map(({ key }) => key));
  const rows = (side: SideName | null) => (
    <Rows rows={sortedRows(items, side)} artifacts={artifacts} selection={selection} />
  );
  const tally = summarizeUploads(items, artifacts);
  const missing = base.length === 0 ? 'base' : candidate.length === 0 ? 'candidate' : null;

  return (
    <aside
      className={classes.drawer}
      aria-label="Upload"
      onKeyDown={(event) => onTrayKey(event, selection, items)}
    >
      <h2 className={classes.head} ref={head} tabIndex={-1}>
        Upload <span className="muted">{tally.words}</span>
        <span className="grow" />
        <button
          type="button"
          className="icon-button"
          aria-label="Close upload"
          onClick={() => tray.setOpen(false)}
        >
          ×
        </button>
      </h2>
      <PickField />
      <SelectionBar selection={selection} />
      {strays.map((stray) => (
        <ErrorState key={stray.path} compact what={stray.path} error={new Error(stray.error)} />
      ))}
      <Group side="base" label={labels.base} note={reason && `${reason}, drag to correct`}>
        {rows('base')}
      </Group>
      <Group side="candidate" label={labels.candidate} note="">
        {rows('candidate')}
      </Group>
      {items.some((item) => item.side === null) && (
        <Group side={null} label="" note="not compared">
          {rows(null)}
        </Group>
      )}
      {compareError !== null && compareError !== undefined && (
        <ErrorState compact error={compareError} />
      )}
      <div className={classes.foot}>
        <span className="muted grow" aria-live="polite">
          {footText(tally, missing, items.length)}
        </span>
        {items.length > 0 && (
          <Button variant="subtle" title="The uploaded artifacts stay" onClick={() => tray.clear()}>
            Clear
          </Button>
        )}
        {items.length > 1 && (
          <Button variant="subtle" onClick={() => tray.swap()}>
            Swap sides
          </Button>
        )}
        <OpenButton
          items={items}
          selected={selection.selected}
          artifacts={artifacts}
          onOpen={onOpen}
        />
        <Button
          variant="filled"
          disabled={missing !== null}
          loading={comparing}
          title={missing ? `Needs at least one decoded file on the ${missing} side` : undefined}
          onClick={() => {
            onCompare({
              base: { artifact_ids: base, label: labels.base },
              candidate: { artifact_ids: candidate, label: labels.candidate },
            });
          }}
        >
          {tally.underWay > 0 ? 'Compare decoded files' : 'Compare'}
        </Button>
      </div>
    </aside>
  );
}

type OpenProps = {
  items: readonly TrayItem[];
  selected: ReadonlySet<string>;
  artifacts: Map<string, Artifact>;
  onOpen: (artifactIds: string[]) => void;
};

/** Opens decoded artifacts with stacks, of the selected files or all, without a comparison. */
function OpenButton({ items, selected, artifacts, onOpen }: OpenProps) {
  const meant = selected.size > 0 ? items.filter(({ key }) => selected.has(key)) : items;
  const ids = meant.flatMap(({ artifactId }) => {
    const artifact = artifactId ? artifacts.get(artifactId) : undefined;
    return artifact && isReady(artifact) && hasStacks(artifact) ? [artifact.id] : [];
  });
  return (
    <Button
      disabled={ids.length === 0}
      title={ids.length === 0 ? 'Needs at least one decoded profile' : undefined}
      onClick={() => onOpen([...new Set(ids)])}
    >
      Open
    </Button>
  );
}

/** Returns why the comparison is not possible yet, or else which uploads failed. */
function footText(tally: UploadSummary, missing: SideName | null, count: number): string {
  if (missing && count > 0 && tally.underWay === 0)
    return `No decoded file on the ${missing} side.`;
  return tally.foot;
}

/** Returns the artifacts of the files by ID; refetched on events, or every 2 s without them. */
function useBatches(items: TrayItem[]): Map<string, Artifact> {
  const pollWhile = usePollWhile();
  const sentWith = (batch: string) => items.filter((item) => item.batch === batch).length;
  const batches = new Set(items.flatMap(({ batch }) => batch ?? []));
  const responses = useQueries({
    queries: Array.from(batches, (batch) => ({
      ...batchQuery(batch),
      refetchInterval: ({ state }: { state: { data?: Artifact[] | undefined } }) => {
        const known = state.data ?? [];
        return pollWhile(known.length < sentWith(batch) || known.some(isUnderWay));
      },
    })),
  });
  const all = responses.flatMap(({ data = [] }) => data);
  return new Map(all.map((artifact) => [artifact.id, artifact]));
}

const SIDES = ['base', 'candidate', null] as const;
const natural = new Intl.Collator('en', { numeric: true });

const sortedRows = (items: TrayItem[], side: SideName | null): TrayItem[] =>
  items
    .filter((item) => item.side === side)
    .sort((a, b) => a.drop - b.drop || natural.compare(a.path, b.path));

type RowsProps = {
  rows: TrayItem[];
  artifacts: Map<string, Artifact>;
  selection: TraySelection;
};

function Rows({ rows, artifacts, selection }: RowsProps) {
  if (rows.length === 0) return <li className={classes.none}>Drop files here</li>;
  return rows.map((item) => (
    <UploadDrawerRow
      key={item.key}
      item={item}
      artifact={item.artifactId ? (artifacts.get(item.artifactId) ?? null) : null}
      siblings={rows}
      selected={selection.selected.has(item.key)}
      onToggle={(range) => selection.toggle(item.key, range)}
    />
  ));
}

/** The actions for the selected files, and their keys. */
function SelectionBar({ selection }: { selection: TraySelection }) {
  const keys = [...selection.selected];
  if (keys.length === 0) return null;
  const action = (name: string, key: string, act: () => void) => (
    <button type="button" className="link" onClick={act} aria-keyshortcuts={key}>
      {name} <kbd>{key}</kbd>
    </button>
  );
  return (
    <div className={classes.selection} role="toolbar" aria-label="Selected files">
      <b>{keys.length} selected</b>
      {action('Base', 'B', () => tray.place(keys, 'base'))}
      {action('Candidate', 'C', () => tray.place(keys, 'candidate'))}
      {action('Exclude', 'X', () => tray.place(keys, null))}
      {action('Remove', 'Delete', () => tray.remove(keys))}
      {action('Clear selection', 'Esc', selection.clear)}
    </div>
  );
}

function Group({
  side,
  label,
  note,
  children,
}: {
  side: SideName | null;
  label: string;
  note: string;
  children: ReactNode;
}) {
  const carries = (event: DragEvent) => event.dataTransfer.types.includes(ITEM_TYPE);
  return (
    <section
      className={classes.group}
      aria-label={side ?? 'excluded'}
      data-side={side ?? undefined}
      onDragOver={(event) => {
        if (!carries(event)) return;
        event.preventDefault();
        event.currentTarget.dataset.over = 'true';
      }}
      onDragLeave={(event) => {
        delete event.currentTarget.dataset.over;
      }}
      onDrop={(event) => {
        delete event.currentTarget.dataset.over;
        const key = event.dataTransfer.getData(ITEM_TYPE);
        if (key !== '') tray.place([key], side);
      }}
    >
      <h3 className={classes.groupHead}>
        {side ? <SideMark side={side} label /> : <b>excluded</b>}
        {label !== '' && <span className="mono">{label}</span>}
        {note !== '' && <span className="muted">{note}</span>}
      </h3>
      <ul>{children}</ul>
    </section>
  );
}

function PickField() {
  const { items } = useTray();
  return (
    <label className={classes.pick}>
      {items.length === 0
        ? 'Drop files anywhere on the page, or '
        : 'Drop more files anywhere on the page, or '}
      <span className={classes.pickWord}>choose them</span>
      <input
        type="file"
        multiple
        className="unseen"
        aria-label="Choose files"
        onChange={(event) => {
          const files = pickedFiles(event.currentTarget.files ?? []);
          event.currentTarget.value = '';
          if (files.length > 0) void tray.add(files);
        }}
      />
    </label>
  );
}
