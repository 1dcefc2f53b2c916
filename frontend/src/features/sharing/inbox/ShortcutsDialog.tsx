import { Modal } from '@mantine/core';
import classes from './inbox.module.css';
import { SHORTCUTS } from './inbox-keys';

/** All shortcuts of the inbox. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title="Shortcuts of the inbox"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <dl className={classes.shortcuts}>
        {SHORTCUTS.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
