/** Saves the filters as a view, or deletes the saved view that is shown. */
import { Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InboxView, InboxViewIn } from '../../../api';
import { DeleteResource, FormBody, FormDialog, NameField } from '../../../ui';
import { createView, deleteView } from './inbox-queries';
import { formatFilters, hasFilters, parseFilters, type InboxSearch } from './inbox-url';

type ActionProps = { search: InboxSearch; saved: InboxView[] };

export function SavedViewAction({ search, saved }: ActionProps) {
  const [isOpen, setOpen] = useState(false);
  const now = formatFilters(search);
  const current = saved.find(({ filters }) => formatFilters(parseFilters(filters)) === now);
  if (current ? !current.is_own : !hasFilters(search)) return null;
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className="link nowrap" onClick={() => setOpen(true)}>
        {current ? 'Delete this view' : 'Save this view'}
      </button>
      {isOpen && !current && <SaveDialog filters={now} onClose={close} />}
      {isOpen && current && (
        <DeleteResource
          name={current.name}
          noun="view"
          request={() => deleteView(current.id)}
          stale={['inbox', 'views']}
          onClose={close}
        >
          {current.is_shared
            ? 'Deletes the view for all members of the team. No item changes.'
            : 'Deletes your view. No item changes.'}
        </DeleteResource>
      )}
    </>
  );
}

function SaveDialog({ filters, onClose }: { filters: string; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const save = useMutation({
    mutationFn: (fields: InboxViewIn) => createView(fields),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['inbox', 'views'] }),
  });
  return (
    <FormDialog title="Save this view" onClose={onClose}>
      <FormBody
        what="Could not save the view"
        submit="Save view"
        save={{
          mutate: () => save.mutate({ name: name.trim(), filters, is_shared: isShared }),
          isPending: save.isPending,
          error: save.error,
        }}
        blocked={name.trim() === '' ? 'Enter a name.' : undefined}
        onCancel={onClose}
      >
        <NameField placeholder="Storage team" value={name} onChange={setName} />
        <Checkbox
          label="Show it to all members of the team"
          checked={isShared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
      </FormBody>
    </FormDialog>
  );
}
