/** The keys of every page, and those of what the page shows at present. */
import { Modal } from '@mantine/core';
import { Fragment } from 'react';
import { useShownKeyHints, type KeyHintEntry } from '../../../ui';
import classes from './search.module.css';

const EVERYWHERE: readonly KeyHintEntry[] = [
  { keys: ['Ctrl K', '⌘ K', '/'], words: 'search and commands' },
  { keys: ['?'], words: 'keyboard shortcuts' },
  { keys: ['Esc'], words: 'close' },
];

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
  const hints = useShownKeyHints();
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
