import { useMutation } from '@tanstack/react-query';
import {
  compareAroundDeployment,
  compareLatency,
  type DeploymentComparison,
} from './deployment-comparison';

type Missing = Extract<DeploymentComparison, { state: 'missing' }>;
export type DeploymentComparisonState = {
  /** The deployment whose profiles are or were last compared. */
  deploy: string | null;
  pending: boolean;
  error: Error | null;
  /** The title of the error. */
  failed: string;
  missing: Missing | null;
  ask: (deploy_id: string) => void;
  /** Compares without the missing profiles. */
  latency: () => void;
};

/**
 * Compares the profiles around a deployment: opens the comparison, or returns what is missing.
 * `latency` compares without it.
 */
export function useDeploymentComparison(
  onComparison: (id: string) => void,
): DeploymentComparisonState {
  const onSuccess = (around: DeploymentComparison) => {
    if (around.state === 'open') onComparison(around.comparison_id);
  };
  const around = useMutation({ mutationFn: compareAroundDeployment, onSuccess });
  const latency = useMutation({ mutationFn: compareLatency, onSuccess });
  const missing = around.data?.state === 'missing' ? around.data : null;
  return {
    deploy: around.variables ?? null,
    pending: around.isPending || latency.isPending,
    error: around.error ?? latency.error,
    failed: around.error ? 'Could not compare the profiles' : 'Could not compare the latency',
    missing,
    ask: (deploy_id) => {
      latency.reset();
      around.mutate(deploy_id);
    },
    latency: () => {
      if (missing) latency.mutate(missing);
    },
  };
}
