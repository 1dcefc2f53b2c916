/** A drawer with the annotations of the dashboard, and forms to add, edit and delete them. */
import { Button, Drawer, Select, TextInput } from '@mantine/core';
import { fieldText, fieldTime } from '../../../lib/wall-times';
import { zoneText } from '../../../lib/times';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { DashboardAnnotation } from '../../../api';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { clockText, dayText } from '../../../engine/dashboard/dashboard-time';
import { EmptyState, ErrorState, onText } from '../../../ui';
import classes from './dashboard.module.css';
import {
  updateAnnotation,
  createAnnotation,
  deleteAnnotation,
  type AnnotationFields,
} from './dashboard-queries';
import { NEW_ANNOTATION } from './dashboard-url';

type PanelProps = {
  /** '' = closed, 'new' = the form of a new one, 'all' = the list, or an annotation's ID. */
  open: string;
  board: Dashboard;
  environment: { id: string; name: string };
  mayWrite: boolean;
  onOpen: (open: string) => void;
  onSaved: () => Promise<unknown>;
};

export function AnnotationsPanel({
  open,
  board,
  environment,
  mayWrite,
  onOpen,
  onSaved,
}: PanelProps) {
  const one = board.annotations.find(({ id }) => id === open);
  return (
    <Drawer
      opened={open !== ''}
      onClose={() => onOpen('')}
      size={400}
      title={`Annotations of ${environment.name}`}
      closeButtonProps={{ 'aria-label': 'Close annotations' }}
      attributes={{ header: { role: 'presentation' } }}
    >
      {open !== '' && (
        <div className={classes.stack}>
          {mayWrite && (open === NEW_ANNOTATION || one) ? (
            <NoteForm
              key={open}
              board={board}
              note={one ?? null}
              environment={environment.id}
              onDone={async () => {
                await onSaved();
                onOpen('all');
              }}
            />
          ) : (
            mayWrite && (
              <Button className={classes.begin} onClick={() => onOpen(NEW_ANNOTATION)}>
                Add annotation
              </Button>
            )
          )}
          <NoteList board={board} open={open} onOpen={onOpen} />
        </div>
      )}
    </Drawer>
  );
}

function NoteList({ board, open, onOpen }: Pick<PanelProps, 'board' | 'open' | 'onOpen'>) {
  if (board.annotations.length === 0)
    return (
      <EmptyState help="annotations">
        No annotations yet. Add one for a load test, a failover or a campaign.
      </EmptyState>
    );
  const nameOf = (id: string | null) =>
    id === null
      ? 'all services'
      : (board.rows.find(({ service }) => service.id === id)?.service.name ?? 'a service');
  return (
    <ul className={classes.notes}>
      {board.annotations
        .toSorted((a, b) => b.at_ms - a.at_ms)
        .map((note) => (
          <li key={note.id} data-open={note.id === open || undefined}>
            <button type="button" onClick={() => onOpen(note.id)}>
              <span className="muted">
                {periodText(note)} {zoneText(note.at_ms)}, {nameOf(note.service_id)}
              </span>
              <span>{note.text}</span>
            </button>
          </li>
        ))}
    </ul>
  );
}

type FormProps = {
  board: Dashboard;
  note: DashboardAnnotation | null;
  environment: string;
  onDone: () => Promise<unknown>;
};

/** Formats a period: "Wed 18 Nov 23:00 to Thu 19 Nov 01:00"; the end has no date in one day. */
function periodText({ at_ms, until_ms }: DashboardAnnotation): string {
  const start = `${dayText(at_ms)} ${clockText(at_ms)}`;
  if (until_ms === null) return start;
  const isSameDay = dayText(at_ms) === dayText(until_ms);
  return `${start} to ${isSameDay ? '' : `${dayText(until_ms)} `}${clockText(until_ms)}`;
}

const isoText = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');

/**
 * Returns the time of a field as ISO 8601. Fields have no seconds, so an unchanged field returns
 * the known time.
 */
const noteTime = (text: string, knownMs: number | null | undefined): string =>
  typeof knownMs === 'number' && fieldText(knownMs) === text
    ? isoText(knownMs)
    : isoText(fieldTime(text));

function NoteForm({ board, note, environment, onDone }: FormProps) {
  const [text, setText] = useState(note?.text ?? '');
  const [at, setAt] = useState(fieldText(note?.at_ms ?? board.nowMs));
  const [until, setUntil] = useState(
    note?.until_ms === null || note === null ? '' : fieldText(note.until_ms),
  );
  const [service, setService] = useState(note?.service_id ?? '');
  const words: AnnotationFields = {
    service_id: service === '' ? null : service,
    started_at: noteTime(at, note?.at_ms),
    ended_at: until === '' ? null : noteTime(until, note?.until_ms),
    text,
  };
  const save = useMutation({
    mutationFn: () =>
      note ? updateAnnotation(note.id, words) : createAnnotation(environment, words),
    onSuccess: onDone,
  });
  const remove = useMutation({
    mutationFn: () => deleteAnnotation(note?.id ?? ''),
    onSuccess: onDone,
  });
  const late = until !== '' && until < at;
  return (
    <form
      className={classes.noteForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (!late) save.mutate();
      }}
    >
      <TextInput
        label="Text"
        required
        maxLength={1000}
        value={text}
        data-autofocus
        onChange={onText(setText)}
      />
      <TextInput
        label={`Start, ${zoneText(note?.at_ms ?? board.grid.fromMs)}`}
        type="datetime-local"
        required
        value={at}
        onChange={onText(setAt)}
      />
      <TextInput
        label="End (optional)"
        type="datetime-local"
        value={until}
        error={late ? 'Must be later' : undefined}
        onChange={onText(setUntil)}
      />
      {!note && (
        <Select
          label="Services"
          data={[
            { value: '', label: 'all services' },
            ...board.rows.map((row) => ({ value: row.service.id, label: row.service.name })),
          ]}
          value={service}
          allowDeselect={false}
          onChange={(next) => setService(next ?? '')}
        />
      )}
      {save.error && <ErrorState compact what="Could not save the annotation" error={save.error} />}
      {remove.error && (
        <ErrorState compact what="Could not delete the annotation" error={remove.error} />
      )}
      <div className={classes.buttons}>
        <Button
          type="submit"
          variant="filled"
          loading={save.isPending}
          disabled={text.trim() === ''}
        >
          Save
        </Button>
        {note && (
          <Button loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        )}
      </div>
    </form>
  );
}
