import type { ReactNode } from 'react';
import classes from './compare.module.css';

export type Match = {
  key: string;
  title: string;
  detail: string;
  evidence: string;
  isChosen: boolean;
  /** Why the match cannot be chosen, or null. */
  disabled: string | null;
};

type MatchRowProps = {
  id: string;
  match: Match;
  /** The searched text, which is highlighted. */
  text: string;
  isActive: boolean;
  multiple: boolean;
  onPick: () => void;
};

/** Shows one match: its title, its time, and its evidence or why it cannot be chosen. */
export function MatchRow({ id, match, text, isActive, multiple, onPick }: MatchRowProps) {
  const { title, detail, evidence, isChosen, disabled } = match;
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={disabled !== null}
      data-active={isActive || undefined}
      className={classes.match}
      title={disabled ?? undefined}
      // Prevents a change of focus: arrow keys and text still go to the field.
      onMouseDown={(event) => {
        event.preventDefault();
        onPick();
      }}
    >
      <span className={multiple ? classes.check : classes.radio} aria-hidden />
      <span className={`mono cut ${classes.matchTitle}`}>{marked(title, text)}</span>
      <span className="muted cut">{marked(detail, text)}</span>
      <span className={disabled === null ? 't2 cut' : 'muted cut'}>{disabled ?? evidence}</span>
    </li>
  );
}

function marked(words: string, text: string): ReactNode {
  const at = text === '' ? -1 : words.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return words;
  return (
    <>
      {words.slice(0, at)}
      <mark>{words.slice(at, at + text.length)}</mark>
      {words.slice(at + text.length)}
    </>
  );
}
