/**
 * The form of a comment: Markdown text, with a list of members after an `@`, for keyboard and
 * mouse.
 */
import { Button, Textarea } from '@mantine/core';
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { ErrorState, useDraft } from '../../../ui';
import classes from './discussions.module.css';
import type { CommentFields } from './discussion-queries';
import { matchMembers, insertMention, mentionAt, type Person } from './comment-threads';

const MOST_LETTERS = 10_000;

type FormProps = {
  label: string;
  act: string;
  people: Person[];
  save: { mutate: (words: CommentFields) => void; isPending: boolean; error: Error | null };
  text?: string;
  /** The storage key of the unsent text, with which it is restored later. */
  draft?: string;
  onClose?: () => void;
};

type MemberChoiceProps = {
  id: string;
  members: Person[];
  chosen: Person;
  onPick: (person: Person) => void;
};

/** The members that match the text typed after `@`. */
function MemberChoice({ id, members, chosen, onPick }: MemberChoiceProps) {
  return (
    <ul id={id} className={classes.people} role="listbox" aria-label="Members">
      {members.map((person) => (
        <li
          key={person.id}
          id={`${id}-${person.id}`}
          role="option"
          aria-selected={person.id === chosen.id}
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(person);
          }}
        >
          {person.name}
        </li>
      ))}
    </ul>
  );
}

export function CommentForm(props: FormProps) {
  const { label, act, people, save, text: first = '', draft, onClose } = props;
  const [text, setText] = useDraft(draft, first);
  const [picked, setPicked] = useState<Person[]>([]);
  const [caret, setCaret] = useState(0);
  const [active, setActive] = useState(0);
  const [closed, setClosed] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const sought = closed ? null : mentionAt(text, caret);
  const shown = sought ? matchMembers(people, sought.typed) : [];
  const chosen = shown[Math.min(active, shown.length - 1)];

  const pick = (person: Person) => {
    if (!sought) return;
    const next = insertMention(text, sought.from, caret, person.name);
    setText(next.text);
    setCaret(next.caret);
    setPicked([...picked.filter(({ id }) => id !== person.id), person]);
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(next.caret, next.caret);
    });
  };
  const submit = () => {
    const trimmed = text.trim();
    if (trimmed === '' || save.isPending) return;
    const mentioned_user_ids = picked
      .filter(({ name }) => trimmed.includes(`@${name}`))
      .map(({ id }) => id);
    save.mutate({ text: trimmed, mentioned_user_ids });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    } else if (event.key === 'Escape' && (chosen || onClose)) {
      event.stopPropagation();
      if (chosen) setClosed(true);
      else onClose?.();
    } else if (chosen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : shown.length - 1;
      setActive((Math.min(active, shown.length - 1) + step) % shown.length);
    } else if (chosen && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault();
      pick(chosen);
    }
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Textarea
        ref={field}
        label={label}
        description="Markdown; @ mentions a member"
        rows={3}
        maxLength={MOST_LETTERS}
        value={text}
        data-autofocus={onClose ? true : undefined}
        autoFocus={onClose !== undefined}
        role="combobox"
        aria-expanded={chosen !== undefined}
        aria-controls={chosen ? list : undefined}
        aria-autocomplete="list"
        aria-activedescendant={chosen ? `${list}-${chosen.id}` : undefined}
        onKeyDown={onKey}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setCaret(event.currentTarget.selectionStart);
          setActive(0);
          setClosed(false);
        }}
      />
      {chosen && <MemberChoice id={list} members={shown} chosen={chosen} onPick={pick} />}
      {save.error && <ErrorState compact what="Could not save the comment" error={save.error} />}
      <span className={classes.acts}>
        <Button type="submit" loading={save.isPending} disabled={text.trim() === ''}>
          {act}
        </Button>
        {onClose && <Button onClick={onClose}>Cancel</Button>}
      </span>
    </form>
  );
}
