/** The form that starts a comparison of two commits, which a runner measures alternately. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState } from '../../../../ui';
import { EndField } from '../start/EndField';
import { proposalQuery } from '../shared/bisect-queries';
import classes from '../shared/bisects.module.css';
import { startCommitComparison } from './commit-comparison-queries';
import type { ChosenEnd } from '../start/start-request';

type Props = { serviceId: string; onStarted: (id: string) => void };
type Sides = Record<'good' | 'bad', ChosenEnd | null>;

export function CompareCommitsForm({ serviceId, onStarted }: Props) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Sides>({ good: null, bad: null });
  const offer = useQuery(proposalQuery({ service_id: serviceId }));
  const start = useMutation({
    mutationFn: ({ good, bad }: { good: ChosenEnd; bad: ChosenEnd }) =>
      startCommitComparison(serviceId, good.sha, bad.sha),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['bisect', 'commit-comparisons'] });
      onStarted(id);
    },
  });
  const { good, bad } = chosen;
  const field = (side: 'good' | 'bad', label: string) => (
    <EndField
      side={side}
      label={label}
      value={chosen[side]}
      repositoryId={offer.data?.repository?.id ?? null}
      serviceId={serviceId}
      onChoose={(end) => setChosen({ ...chosen, [side]: end })}
    />
  );
  return (
    <div className={classes.choices}>
      {offer.data?.repository === null && (
        <p className="muted">Link a repository to the service in Settings, Integrations.</p>
      )}
      {field('good', 'Base commit')}
      {field('bad', 'Candidate commit')}
      {start.error && (
        <ErrorState compact what="Could not compare the commits" error={start.error} />
      )}
      <div>
        <Button
          variant="default"
          disabled={!good || !bad}
          loading={start.isPending}
          onClick={() => good && bad && start.mutate({ good, bad })}
        >
          Compare two commits
        </Button>
      </div>
      <p className="muted">
        The candidate is measured alternately with the merge base of both commits.
      </p>
    </div>
  );
}
