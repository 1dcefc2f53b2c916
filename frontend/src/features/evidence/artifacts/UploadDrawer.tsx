/** Files between drop and comparison: two sides, each file's own progress and errors, and one button. */
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
import { tray, type TrayItem } from './tray-store';
import type { SideName } from './side-guess';
import { isReady, summarizeUploads, type UploadSummary } from './upload-summary';
import { useTray } from './use-tray';

export type Ready = Record<SideName, { artifact_ids: string[]; label: string }>;

type DrawerProps = {
  /** Compare these; rejects when the server refuses. */
  onCompare: (ready: Ready) => void;
  comparing: boolean;
  compareError: unknown;
};

export function UploadDrawer({ onCompare, comparing, compareError }: DrawerProps) {
  const { items, labels, reason, strays } = useTray();
  const artifacts = useBatches(items);
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
  const tally = summarizeUploads(items, artifacts);
  const missing = base.length === 0 ? 'base' : candidate.length === 0 ? 'candidate' : null;

  return (
    <aside className={classes.drawer} aria-label="Upload">
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
      {strays.map((stray) => (
        <ErrorState key={stray.path} compact what={stray.path} error={new Error(stray.error)} />
      ))}
      <Group side="base" label={labels.base} note={reason && `${reason}, drag to correct`}>
        {rowsOf(items, 'base', artifacts)}
      </Group>
      <Group side="candidate" label={labels.candidate} note="">
        {rowsOf(items, 'candidate', artifacts)}
      </Group>
      {items.some((item) => item.side === null) && (
        <Group side={null} label="" note="not compared">
          {rowsOf(items, null, artifacts)}
        </Group>
      )}
      {compareError !== null && compareError !== undefined && (
        <ErrorState compact error={compareError} />
      )}
      <div className={classes.foot}>
        <span className="muted grow" aria-live="polite">
          {footText(tally, missing, items.length)}
        </span>
        {items.length > 1 && (
          <Button variant="subtle" onClick={() => tray.swap()}>
            Swap sides
          </Button>
        )}
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

/** What keeps the button from working comes first; then what went wrong but does not matter. */
function footText(tally: UploadSummary, missing: SideName | null, count: number): string {
  if (missing && count > 0 && tally.underWay === 0)
    return `No decoded file on the ${missing} side.`;
  return tally.foot;
}

/** The server's side of the files, by artifact id; read again on events, or every 2 s without them. */
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
  return new Map(
    responses.flatMap(({ data = [] }) => data.map((artifact) => [artifact.id, artifact])),
  );
}

function rowsOf(
  items: TrayItem[],
  side: SideName | null,
  artifacts: Map<string, Artifact>,
): ReactNode {
  const rows = items.filter((item) => item.side === side);
  if (rows.length === 0) return <li className={classes.none}>Drop files here</li>;
  const natural = new Intl.Collator('en', { numeric: true });
  return rows
    .sort((a, b) => natural.compare(a.path, b.path))
    .map((item) => (
      <UploadDrawerRow
        key={item.key}
        item={item}
        artifact={item.artifactId ? (artifacts.get(item.artifactId) ?? null) : null}
        siblings={rows}
      />
    ));
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
        if (key !== '') tray.place(key, side);
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
