/**
 * A search field with its matches below it. They are not in a popover, so they are always visible.
 */
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useId, useState, type KeyboardEvent } from 'react';
import { ErrorState } from '../../../ui';
import { MatchRow, type Match } from './MatchRow';
import classes from './compare.module.css';

/**
 * The pause in typing after which matches are requested: a quarter of the 200 ms within which they
 * should be shown.
 */
const PAUSE_MS = 50;

export type MatchResults = {
  items: Match[];
  hasMore: boolean;
  /** Whether the matches are of an earlier text: shown pale until the new ones arrive. */
  isOld: boolean;
  isPending: boolean;
  error: Error | null;
};

type SearchListProps = {
  label: string;
  placeholder: string;
  find: string;
  onFind: (text: string) => void;
  results: MatchResults;
  onPick: (key: string) => void;
  /** Whether several can be chosen; another click removes a chosen one. */
  multiple?: boolean;
  /** Text of the empty list. */
  none: string;
};

export function SearchList(props: SearchListProps) {
  const { label, placeholder, find, onFind, results, onPick, multiple = false, none } = props;
  const list = useId();
  const [text, setText] = useState(find);
  const [at, setAt] = useState(0);
  const send = useDebouncedCallback(onFind, PAUSE_MS);
  const { items } = results;
  const place = Math.min(at, Math.max(0, items.length - 1));
  const pick = (match: Match | undefined) => {
    if (match?.disabled === null) onPick(match.key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && items.length > 0) {
      event.preventDefault();
      setAt((place + step + items.length) % items.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      pick(items[place]);
    }
  };
  return (
    <>
      <TextInput
        className={classes.search}
        label={label}
        placeholder={placeholder}
        classNames={{ input: 'mono' }}
        role="combobox"
        aria-expanded={items.length > 0}
        aria-controls={items.length > 0 ? list : undefined}
        aria-activedescendant={items[place] ? `${list}-${place}` : undefined}
        autoComplete="off"
        maxLength={200}
        value={text}
        rightSection={<span className={classes.counts}>{countsText(results, text)}</span>}
        rightSectionWidth={132}
        rightSectionPointerEvents="none"
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
          send(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div className={classes.matches} data-old={results.isOld || undefined}>
        {items.length > 0 && (
          <ul
            id={list}
            role="listbox"
            aria-label={`${label}: matches`}
            aria-multiselectable={multiple}
          >
            {items.map((match, index) => (
              <MatchRow
                key={match.key}
                id={`${list}-${index}`}
                match={match}
                text={text.trim()}
                isActive={index === place}
                multiple={multiple}
                onPick={() => {
                  setAt(index);
                  pick(match);
                }}
              />
            ))}
          </ul>
        )}
        {results.error && <ErrorState compact error={results.error} />}
        {items.length === 0 && !results.error && (
          <p className={classes.none}>{results.isPending ? 'Searching' : none}</p>
        )}
      </div>
    </>
  );
}

function countsText({ items, hasMore }: MatchResults, text: string): string {
  if (items.length === 0) return '';
  if (text.trim() === '') return hasMore ? `first ${items.length}` : `all ${items.length}`;
  return hasMore
    ? `first ${items.length} matches`
    : items.length === 1
      ? '1 match'
      : `${items.length} matches`;
}
