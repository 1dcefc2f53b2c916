/**
 * A button that lets a runner build and measure both ends once before the bisect. It is optional.
 */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { BisectWords, PreflightOut } from '../../../../api';
import { ErrorState } from '../../../../ui';
import { applyBisectAction, measureEnds } from '../shared/bisect-queries';

type Props = {
  preflight: PreflightOut | undefined;
  request: BisectWords;
  /** Why the bisect cannot start, if it cannot. */
  blocked: string | undefined;
  link: (id: string, words: ReactNode) => ReactNode;
};

const CANCEL = {
  running: 'Cancel measuring',
  paused: 'Cancel measuring',
  measured: 'Discard',
  expired: 'Discard measurements',
  failed: '',
};

export function MeasureEnds({ preflight, request, blocked, link }: Props) {
  const client = useQueryClient();
  const again = () => client.invalidateQueries({ queryKey: ['bisect', 'preflight'] });
  const measure = useMutation({ mutationFn: () => measureEnds(request), onSettled: again });
  const cancel = useMutation({
    mutationFn: (id: string) => applyBisectAction(id, 'cancel'),
    onSettled: again,
  });
  const error = measure.error ?? cancel.error;
  const found = preflight?.boundary_check;
  const runner = preflight?.checks.find(({ key }) => key === 'runner');
  const missing = runner?.state === 'missing' ? runner.title : undefined;
  const reason = blocked ?? missing ?? (preflight ? undefined : 'Checking the request');
  return (
    <>
      {error && <ErrorState compact what="Could not measure both ends" error={error} />}
      {found ? (
        <>
          {link(found.bisect_id, `Bisect ${found.number}`)}
          {found.state !== 'failed' && (
            <Button
              variant="subtle"
              size="compact-xs"
              loading={cancel.isPending}
              onClick={() => cancel.mutate(found.bisect_id)}
            >
              {CANCEL[found.state]}
            </Button>
          )}
        </>
      ) : (
        <Button
          variant="default"
          size="compact-xs"
          disabled={reason !== undefined}
          title={reason}
          loading={measure.isPending}
          onClick={() => measure.mutate()}
        >
          Measure both ends
        </Button>
      )}
    </>
  );
}
