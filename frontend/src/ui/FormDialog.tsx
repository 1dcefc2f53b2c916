import { Button, Modal, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Dialogs.module.css';
import { ErrorState } from './PlaceholderStates';
import { onText } from './text-handlers';

type DialogProps = {
  title: string;
  size?: 'md' | 'lg';
  onClose: () => void;
  children: ReactNode;
};

/** A dialog with a form. The child has the state of the form, which is new at each opening. */
export function FormDialog({ title, size = 'md', onClose, children }: DialogProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      size={size}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Modal>
  );
}

type BodyProps = {
  children: ReactNode;
  /** Title of the error if saving fails: "The hook was not added". */
  what: string;
  /** Label of the submit button: "Add hook". */
  submit: string;
  save: { mutate: () => void; isPending: boolean; error: Error | null };
  /** Why it cannot be submitted yet. */
  blocked?: string;
  onCancel: () => void;
};

/** The fields of a form, the error of saving it, and the two buttons. */
export function FormBody({ children, what, submit, save, blocked, onCancel }: BodyProps) {
  return (
    <form
      className={classes.form}
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      {children}
      {save.error && <ErrorState compact what={what} error={save.error} />}
      <div className={classes.buttons}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          variant="filled"
          loading={save.isPending}
          disabled={blocked !== undefined}
          title={blocked}
        >
          {submit}
        </Button>
      </div>
    </form>
  );
}

type NameProps = { placeholder?: string; value: string; onChange: (name: string) => void };

/** The first field of a form: the name of what it adds or changes. */
export function NameField({ placeholder, value, onChange }: NameProps) {
  return (
    <TextInput
      label="Name"
      placeholder={placeholder}
      required
      maxLength={200}
      data-autofocus
      value={value}
      onChange={onText(onChange)}
    />
  );
}
