/** A dialog to rename a comparison and its two sides: the default names come from file names. */
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Comparison } from '../../../../api';
import { FormBody, FormDialog } from '../../../../ui';
import { renameComparison } from '../shared/comparison-queries';

/** The maximum length that the server accepts. */
const LONGEST = 200;

type Props = { comparison: Comparison; onClose: () => void };

const FIELDS = [
  { key: 'name', label: 'Name' },
  { key: 'base_label', label: 'Base name' },
  { key: 'candidate_label', label: 'Candidate name' },
] as const;

export function RenameComparison({ comparison, onClose }: Props) {
  return (
    <FormDialog title="Rename comparison" onClose={onClose}>
      <Fields comparison={comparison} onClose={onClose} />
    </FormDialog>
  );
}

function Fields({ comparison, onClose }: Props) {
  const client = useQueryClient();
  const [names, setNames] = useState({
    name: comparison.name,
    base_label: comparison.base.label,
    candidate_label: comparison.candidate.label,
  });
  const empty = FIELDS.some(({ key }) => names[key].trim() === '');
  const save = useMutation({
    mutationFn: () => renameComparison(comparison.id, names),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['comparison'] }),
  });
  return (
    <FormBody
      what="Could not rename the comparison"
      submit="Rename"
      save={save}
      blocked={empty ? 'Enter a name for each' : undefined}
      onCancel={onClose}
    >
      {FIELDS.map(({ key, label }) => (
        <TextInput
          key={key}
          label={label}
          value={names[key]}
          maxLength={LONGEST}
          data-autofocus={key === 'name' || undefined}
          onChange={(event) => setNames({ ...names, [key]: event.currentTarget.value })}
        />
      ))}
    </FormBody>
  );
}
