/** Continues a bisect that ended without a result at its limit of deployments. */
import { Button, NumberInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Bisect } from '../../../../api';
import { FormBody, FormDialog, countOf } from '../../../../ui';
import { updateBisect } from '../shared/bisect-queries';
import { MAX_DEPLOYMENTS } from '../shared/bisect-settings';

export function ContinueBisect({ bisect }: { bisect: Bisect }) {
  const [opened, setOpened] = useState(false);
  const limit = bisect.cost.limit ?? bisect.cost.deployments;
  const close = () => setOpened(false);
  return (
    <>
      <Button
        variant="filled"
        disabled={limit >= MAX_DEPLOYMENTS}
        title={
          limit >= MAX_DEPLOYMENTS
            ? `The limit cannot exceed ${MAX_DEPLOYMENTS} deployments`
            : undefined
        }
        onClick={() => setOpened(true)}
      >
        Continue
      </Button>
      {opened && (
        <FormDialog title={`Continue bisect ${bisect.number}`} onClose={close}>
          <Further bisect={bisect} limit={limit} onClose={close} />
        </FormDialog>
      )}
    </>
  );
}

type FurtherProps = { bisect: Bisect; limit: number; onClose: () => void };

function Further({ bisect, limit, onClose }: FurtherProps) {
  const client = useQueryClient();
  const most = MAX_DEPLOYMENTS - limit;
  const [further, setFurther] = useState<number | null>(Math.min(limit, most));
  const save = useMutation({
    mutationFn: (deploys: number) => updateBisect(bisect.id, { max_deployments: limit + deploys }),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['bisect'] }),
  });
  const valid = further !== null && further >= 1 && further <= most;
  return (
    <FormBody
      what="Could not continue the bisect"
      submit="Continue"
      save={{
        mutate: () => {
          if (valid) save.mutate(further);
        },
        isPending: save.isPending,
        error: save.error,
      }}
      blocked={valid ? undefined : `Enter a number from 1 to ${most}`}
      onCancel={onClose}
    >
      <p>
        The bisect ended inconclusive at its limit of {countOf(limit, 'deployment')}. All
        measurements stay.
      </p>
      <NumberInput
        label="Additional deployments"
        description={`New limit: ${valid ? countOf(limit + further, 'deployment') : '–'}`}
        min={1}
        max={most}
        allowDecimal={false}
        data-autofocus
        value={further ?? ''}
        onChange={(given) => setFurther(given === '' ? null : Number(given))}
      />
    </FormBody>
  );
}
