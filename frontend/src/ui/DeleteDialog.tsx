import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import classes from './Dialogs.module.css';
import { ErrorState } from './PlaceholderStates';

type DialogProps = {
  /** Which one: "Delete ours?" */
  name: string;
  /** What it is: "Delete channel". */
  noun: string;
  /** What is done to it, where it is not deleted: "Revoke". */
  act?: string;
  /** The title of the error. */
  failed?: string;
  /** What goes with it and what stays. */
  children: ReactNode;
  /** Options for what is deleted with it. */
  choice?: ReactNode;
  remove: { mutate: () => void; isPending: boolean; error: Error | null };
  onClose: () => void;
};

/** Asks once more before something is deleted, and says in place why it was not. */
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
  /** Key of the queries that show it. */
  stale: QueryKey;
  onDeleted?: () => void;
};

/** The dialog that deletes one resource: it closes when the request succeeds, and lists of it are fetched again. */
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
