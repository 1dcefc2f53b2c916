import { useMutation } from '@tanstack/react-query';
import { compareAround, type Around } from './compare-around';

export type Comparing = {
  /** Of which deploy profiles are compared, or were asked for last. */
  deploy: string | null;
  pending: boolean;
  error: Error | null;
  missing: Extract<Around, { state: 'missing' }> | null;
  ask: (deploy_id: string) => void;
};

/** "Compare profiles around it": opens the comparison, or tells what is missing. */
export function useCompareAround(onComparison: (id: string) => void): Comparing {
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: compareAround,
    onSuccess: (around) => {
      if (around.state === 'open') onComparison(around.comparison_id);
    },
  });
  return {
    deploy: variables ?? null,
    pending: isPending,
    error,
    missing: data?.state === 'missing' ? data : null,
    ask: mutate,
  };
}
