/** What was done with a regression, newest first, and a note from whoever looks at it. */
import { Button, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState, SkeletonRows, Time } from '../../ui';
import type { Person } from './Triage';
import { addNote, historyQuery } from './queries';
import classes from './regressions.module.css';
import { eventText } from './wording';

type HistoryProps = { id: string; people: Person[]; mayWrite: boolean };

export function History({ id, people, mayWrite }: HistoryProps) {
  const history = useQuery(historyQuery(id));
  const names = new Map(people.map((person) => [person.id, person.name]));
  return (
    <>
      {mayWrite && <NoteForm id={id} />}
      {history.error && <ErrorState compact error={history.error} />}
      {history.isPending && <SkeletonRows rows={3} />}
      <ul className={classes.history} aria-label="History">
        {history.data?.items.map((event) => (
          <li key={event.id} className={classes.event}>
            <span>{event.by ? (event.by.name ?? 'somebody who left') : 'Slowpath'}</span>
            <span className="muted">
              <Time at={event.created_at} />
            </span>
            <span className={event.what === 'note' ? classes.note : undefined}>
              {eventText(event, (person) => names.get(person) ?? 'somebody who left')}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function NoteForm({ id }: { id: string }) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const keep = useMutation({
    mutationFn: () => addNote(id, text.trim()),
    onSuccess: () => {
      setText('');
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['regression', 'history', id] }),
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') keep.mutate();
      }}
    >
      <Textarea
        label="Note"
        rows={2}
        maxLength={10_000}
        w="100%"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      {keep.error && <ErrorState compact what="The note was not kept" error={keep.error} />}
      <Button type="submit" loading={keep.isPending} disabled={text.trim() === ''}>
        Add note
      </Button>
    </form>
  );
}
