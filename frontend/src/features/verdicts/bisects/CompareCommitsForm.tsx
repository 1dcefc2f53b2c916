/** Two commits that a runner measures alternately, on request. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState, onText } from '../../../ui';
import classes from './bisects.module.css';
import { startCommitComparison } from './commit-comparison-queries';

const SHA = /^[0-9a-f]{40}$/u;

type Props = { serviceId: string; onStarted: (id: string) => void };

export function CompareCommitsForm({ serviceId, onStarted }: Props) {
  const client = useQueryClient();
  const [base, setBase] = useState('');
  const [candidate, setCandidate] = useState('');
  const start = useMutation({
    mutationFn: () => startCommitComparison(serviceId, base.trim(), candidate.trim()),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['bisect', 'commit-comparisons', serviceId] });
      onStarted(id);
    },
  });
  const isComplete = SHA.test(base.trim()) && SHA.test(candidate.trim());
  return (
    <div className={classes.choices}>
      <TextInput
        label="Base commit"
        description="40 digits. The merge base of both commits is measured."
        value={base}
        onChange={onText(setBase)}
      />
      <TextInput label="Candidate commit" value={candidate} onChange={onText(setCandidate)} />
      {start.error && (
        <ErrorState compact what="Could not compare the commits" error={start.error} />
      )}
      <div>
        <Button
          variant="default"
          disabled={!isComplete}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          Compare two commits
        </Button>
      </div>
    </div>
  );
}
