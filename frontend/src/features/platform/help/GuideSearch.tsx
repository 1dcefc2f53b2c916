/** Searches the guide while the reader types. Arrow keys choose a result, Enter opens it, `/` focuses the field. */
import { TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import classes from './GuideSearch.module.css';
import type { GuideAddress } from './guide-pages';
import { buildGuideIndex, searchGuide, type GuideMatch, type TextPiece } from './guide-search';

function Marked({ pieces }: { pieces: TextPiece[] }) {
  return pieces.map(({ text, isMatch }, at) => (isMatch ? <mark key={at}>{text}</mark> : text));
}

type MatchListProps = {
  id: string;
  matches: GuideMatch[];
  active: number;
  onActivate: (at: number) => void;
  onOpen: (match: GuideMatch) => void;
};

function MatchList({ id, matches, active, onActivate, onOpen }: MatchListProps) {
  return (
    <div className={classes.results}>
      <ul id={id} role="listbox" aria-label="Results in the guide">
        {matches.map((match, at) => (
          <li
            key={match.id}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === active}
            className={classes.result}
            onMouseEnter={() => onActivate(at)}
            onMouseDown={(event) => {
              event.preventDefault();
              onOpen(match);
            }}
          >
            <span className={classes.heading}>
              <Marked pieces={match.heading} />
              <span className="muted"> {match.title}</span>
            </span>
            <span className={classes.excerpt}>
              <Marked pieces={match.excerpt} />
            </span>
          </li>
        ))}
      </ul>
      {matches.length === 0 && <p className={classes.none}>No page contains these words.</p>}
    </div>
  );
}

/** The matches for a text; the index is built once, when the field is first used. */
function useGuideMatches(text: string, isUsed: boolean): GuideMatch[] | null {
  const { data: index } = useQuery({
    queryKey: ['guide-index'],
    queryFn: buildGuideIndex,
    enabled: isUsed,
    staleTime: Infinity,
  });
  return index && text !== '' ? searchGuide(index, text) : null;
}

export function GuideSearch({ onOpen }: { onOpen: (address: GuideAddress) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(0);
  const matches = useGuideMatches(text.trim(), isOpen);
  const isShown = isOpen && matches !== null;
  useHotkeys([['/', () => field.current?.focus()]]);

  const open = ({ address }: GuideMatch) => {
    setText('');
    field.current?.blur();
    onOpen(address);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = matches?.[active];
    if (step && matches && matches.length > 0) {
      event.preventDefault();
      setActive((active + step + matches.length) % matches.length);
    } else if (event.key === 'Enter' && chosen) open(chosen);
    else if (event.key === 'Escape') {
      setText('');
      field.current?.blur();
    }
  };
  return (
    <div className={classes.search} role="search">
      <TextInput
        ref={field}
        className={classes.field}
        placeholder="Search the guide"
        aria-label="Search the guide"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={list}
        aria-activedescendant={isShown && matches[active] ? `${list}-${active}` : undefined}
        autoComplete="off"
        value={text}
        rightSection={<kbd>/</kbd>}
        rightSectionPointerEvents="none"
        onChange={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setIsOpen(true);
        }}
        onBlur={() => setIsOpen(false)}
        onFocus={() => setIsOpen(true)}
        onKeyDown={press}
      />
      {isShown && (
        <MatchList
          id={list}
          matches={matches}
          active={active}
          onActivate={setActive}
          onOpen={open}
        />
      )}
    </div>
  );
}
