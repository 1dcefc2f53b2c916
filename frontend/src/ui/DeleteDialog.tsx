import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Dialogs.module.css';
import { ErrorState } from './States';

type DialogProps = {
  /** Which one: "Delete ours?" */
  name: string;
  /** What it is: "Delete channel". */
  noun: string;
  /** What is done to it, where it is not deleted: "Revoke". */
  act?: string;
  /** What is said when it failed. */
  failed?: string;
  /** What goes with it and what stays. */
  children: ReactNode;
  /** What may go with it, for whoever deletes it to say. */
  choice?: ReactNode;
  remove: { mutate: () => void; isPending: boolean; error: Error | null };
  onClose: () => void;
};

/** Asks once more before something is deleted, and says in place why it was not. */
export function DeleteDialog({
  name,
  noun,
  act = 'Delete',
  failed = 'It was not deleted',
  children,
  choice,
  remove,
  onClose,
}: DialogProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={`${act} ${name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <p>{children}</p>
      {choice}
      {remove.error && <ErrorState compact what={failed} error={remove.error} />}
      <div className={classes.buttons}>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant="filled"
          loading={remove.isPending}
          onClick={() => {
            remove.mutate();
          }}
        >
          {act} {noun}
        </Button>
      </div>
    </Modal>
  );
}
