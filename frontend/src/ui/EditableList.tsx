import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ListSection, type ListSectionProps } from './ListSection';

type RowDialogs = { onEdit: () => void; onDelete: () => void };

type EditableProps<Row> = Omit<ListSectionProps<Row>, 'add' | 'row'> & {
  /** Label of the button that adds a row, for users with the permission: "Add channel". */
  add?: string | false;
  row: (row: Row, dialogs: RowDialogs) => ReactNode;
  /** Renders the form of a row; the row is null for a new one. */
  form?: (row: Row | null, onDone: () => void) => ReactNode;
  deletion: (row: Row, onClose: () => void) => ReactNode;
};

/** A list whose rows are added, edited and deleted in dialogs. */
export function EditableList<Row extends { id: string }>(props: EditableProps<Row>) {
  const { add, row, form, deletion, children, ...section } = props;
  const [edited, setEdited] = useState<Row | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Row | null>(null);
  const close = () => {
    setEdited(null);
    setDeleted(null);
  };
  return (
    <ListSection
      {...section}
      add={add && <Button onClick={() => setEdited('new')}>{add}</Button>}
      row={(one) =>
        row(one, {
          onEdit: () => setEdited(one),
          onDelete: () => setDeleted(one),
        })
      }
    >
      {children}
      {edited && form?.(edited === 'new' ? null : edited, close)}
      {deleted && deletion(deleted, close)}
    </ListSection>
  );
}
