/** The shortcuts of all pages, and those of what the page shows at present. */
import { Modal } from '@mantine/core';
import { Fragment, useState } from 'react';
import { useShownKeyHints, type KeyHintEntry } from '../../../ui';
import classes from './search.module.css';

const EVERYWHERE: readonly KeyHintEntry[] = [
  { keys: ['Ctrl K', '⌘ K', '/'], words: 'search and commands' },
  { keys: ['?'], words: 'keyboard shortcuts' },
  { keys: ['Esc'], words: 'close' },
];

/**
 * Shortcuts of tables whose rows open or select something. They are listed here because the code of
 * tables is part of the first download.
 */
const ROW_PLACE = 'Row of a table';
const ROW_KEYS: readonly KeyHintEntry[] = [
  { keys: ['↑', '↓', 'k', 'j'], words: 'row above, below', place: ROW_PLACE },
  { keys: ['Enter'], words: 'select the row', place: ROW_PLACE },
];
const listedOnce = (hints: readonly KeyHintEntry[]): KeyHintEntry[] => [
  ...new Map(
    hints.map((hint) => [`${hint.place ?? ''} ${hint.keys.join(' ')} ${hint.words}`, hint]),
  ).values(),
];
const hasRows = () => document.querySelector('tbody > tr[tabindex="0"]') !== null;

function KeyList({ hints }: { hints: readonly KeyHintEntry[] }) {
  return (
    <dl className={classes.shortcuts}>
      {hints.map(({ keys, words }) => [
        <dt key={`${keys.join(' ')} ${words}`}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </dt>,
        <dd key={`${words} ${keys.join(' ')}`}>{words}</dd>,
      ])}
    </dl>
  );
}

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const shown = useShownKeyHints();
  const [ofRows] = useState(() => (hasRows() ? ROW_KEYS : []));
  const hints = listedOnce([...shown, ...ofRows]);
  const places = [...new Set(hints.map(({ place }) => place))];
  return (
    <Modal
      opened
      onClose={onClose}
      title="Keyboard shortcuts"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <h3>On every page</h3>
      <KeyList hints={EVERYWHERE} />
      {places.map((place) => (
        <Fragment key={place ?? ''}>
          <h3>{place === undefined ? 'On this page' : `${place}, in focus`}</h3>
          <KeyList hints={hints.filter((hint) => hint.place === place)} />
        </Fragment>
      ))}
    </Modal>
  );
}
