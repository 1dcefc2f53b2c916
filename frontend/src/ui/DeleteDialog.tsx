import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import classes from './Dialogs.module.css';
import { ErrorState } from './PlaceholderStates';

type DialogProps = {
  /** Name of the object in the title, as in "Delete ours?". */
  name: string;
  /** Kind of the object on the button, as in "Delete channel". */
  noun: string;
  /** Verb of an action other than deleting, such as "Revoke". */
  act?: string;
  /** The title of the error. */
  failed?: string;
  /** What is deleted with the object, and what is not. */
  children: ReactNode;
  /** Options for what is deleted with it. */
  choice?: ReactNode;
  remove: { mutate: () => void; isPending: boolean; error: Error | null };
  onClose: () => void;
};

/** Asks for confirmation before something is deleted, and shows the error if that fails. */
export function DeleteDialog({
  name,
  noun,
  act = 'Delete',
  failed = 'Could not delete it',
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
        <Button variant="filled" loading={remove.isPending} onClick={() => remove.mutate()}>
          {act} {noun}
        </Button>
      </div>
    </Modal>
  );
}

type ResourceProps = Omit<DialogProps, 'remove'> & {
  request: () => Promise<unknown>;
  /** Key of the queries that contain the object. They are invalidated. */
  stale: QueryKey;
  onDeleted?: () => void;
};

/** A dialog that deletes one object. On success, it closes; lists of it are fetched again. */
export function DeleteResource({ request, stale, onDeleted, ...dialog }: ResourceProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: request,
    onSuccess: () => {
      dialog.onClose();
      onDeleted?.();
    },
    onSettled: () => client.invalidateQueries({ queryKey: stale }),
  });
  return <DeleteDialog {...dialog} remove={remove} />;
}
