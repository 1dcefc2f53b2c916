/** Shows why a comparison has no compiler section, what helps, and a button to compute it again. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorState, HelpLink, useIsSnapshot } from '../../../../ui';
import classes from './CompilerPanel.module.css';
import { compilerAbsenceQuery, retryComparison } from '../shared/comparison-queries';

type AbsenceProps = { comparisonId: string; mayWrite: boolean };

export function CompilerAbsence({ comparisonId, mayWrite }: AbsenceProps) {
  const client = useQueryClient();
  const isSnapshot = useIsSnapshot();
  const absence = useQuery(compilerAbsenceQuery(comparisonId)).data;
  const again = useMutation({
    mutationFn: () => retryComparison(comparisonId),
    onSettled: () => client.invalidateQueries({ queryKey: ['comparison'] }),
  });
  if (!absence || absence.reasons.length === 0) return null;
  return (
    <section className={classes.section} aria-label="Compiler">
      <h3>Compiler</h3>
      <p className="muted">
        {[...absence.reasons, absence.remedy].join(' ')} <HelpLink topic="compiler" />
      </p>
      {absence.can_compute_again && mayWrite && !isSnapshot && (
        <Button size="xs" loading={again.isPending} onClick={() => again.mutate()}>
          Compute again
        </Button>
      )}
      {again.error && <ErrorState compact error={again.error} />}
    </section>
  );
}
