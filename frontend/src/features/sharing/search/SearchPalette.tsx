/**
 * The command palette. It finds objects of the team and actions by a text. Arrow keys choose, Enter
 * opens, Escape closes.
 */
import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type KeyboardEvent } from 'react';
import { countOf, ErrorState, KeyHint } from '../../../ui';
import { PaletteResults } from './PaletteResults';
import {
  foundGroups,
  startGroups,
  type PaletteAction,
  type PaletteEntry,
  type PaletteGroup,
} from './palette-entries';
import { recentObjects, saveRecentObject } from './recent-objects';
import classes from './search.module.css';
import { searchQuery } from './search-queries';

const PAUSE_MS = 100;

type PaletteProps = {
  team: string;
  actions: readonly PaletteAction[];
  onClose: () => void;
  /** Called with a path below the team's. */
  onOpen: (path: string) => void;
};

type PaletteState = { groups: PaletteGroup[]; isComplete: boolean; error: Error | null };

function usePaletteState(text: string, { team, actions }: PaletteProps): PaletteState {
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const { data, error, isFetching } = useQuery(searchQuery(settled));
  if (text === '')
    return { groups: startGroups(actions, recentObjects(team)), isComplete: true, error: null };
  return {
    groups: foundGroups(data, actions, text),
    isComplete: settled === text && !isFetching,
    error,
  };
}

export default function SearchPalette(props: PaletteProps) {
  const { team, onClose, onOpen } = props;
  const list = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const text = typed.trim();
  const { groups, isComplete, error } = usePaletteState(text, props);
  const entries = groups.flatMap((group) => group.entries);
  const active = Math.min(at, Math.max(entries.length - 1, 0));

  const choose = (entry: PaletteEntry) => {
    onClose();
    if (entry.kind === 'action') entry.action.run();
    else {
      saveRecentObject(team, entry.object);
      onOpen(entry.object.path);
    }
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const entry = entries[active];
    if (step && entries.length > 0) {
      event.preventDefault();
      setAt((active + step + entries.length) % entries.length);
    } else if (event.key === 'Enter' && entry && !event.nativeEvent.isComposing) {
      event.preventDefault();
      choose(entry);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      size={640}
      padding={0}
      centered={false}
      yOffset="10vh"
      aria-label="Search and commands"
    >
      <TextInput
        data-autofocus
        className={classes.field}
        variant="unstyled"
        placeholder="Search, or enter a command"
        aria-label="Search objects and commands"
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls={list}
        aria-activedescendant={entries[active] ? `${list}-${active}` : undefined}
        autoComplete="off"
        maxLength={200}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      {error && <ErrorState compact what="The search failed" error={error} />}
      <PaletteResults
        id={list}
        groups={groups}
        active={active}
        onActivate={setAt}
        onChoose={choose}
      />
      <p className={classes.state} role="status">
        {entries.length === 0 && isComplete && !error && 'No results.'}
        {entries.length > 0 && text !== '' && isComplete && (
          <span className={classes.hidden}>{countOf(entries.length, 'result')}</span>
        )}
      </p>
      <p className={classes.keys}>
        <KeyHint keys={['↑', '↓']}>choose</KeyHint>
        <KeyHint keys={['↵']}>open</KeyHint>
        <KeyHint keys={['Esc']}>close</KeyHint>
      </p>
    </Modal>
  );
}
