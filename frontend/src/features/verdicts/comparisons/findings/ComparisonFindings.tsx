/** The findings of a comparison on another page; each links to the comparison. */
import { useQuery } from '@tanstack/react-query';
import { ErrorState, SkeletonRows } from '../../../../ui';
import { usePollWhile } from '../../../platform/jobs';
import { Findings } from './Findings';
import { comparisonQuery, isUnderWay } from '../shared/comparison-queries';

export type ComparisonFindingsProps = {
  id: string;
  /** Opens the comparison at one of its findings. */
  onOpen: (finding: number) => void;
};

export default function ComparisonFindings({ id, onOpen }: ComparisonFindingsProps) {
  const pollWhile = usePollWhile();
  const comparison = useQuery({
    ...comparisonQuery(id),
    refetchInterval: ({ state: { data } }) => pollWhile(data !== undefined && isUnderWay(data)),
  });
  const { data, error } = comparison;
  if (error) return <ErrorState compact what="Could not load the comparison" error={error} />;
  if (!data) return <SkeletonRows rows={3} />;
  if (isUnderWay(data))
    return (
      <p className="muted" role="status">
        The comparison is {data.state === 'waiting' ? 'waiting for a worker' : 'running'}.
      </p>
    );
  if (!data.result) return <p className="muted">The comparison has no result.</p>;
  return (
    <Findings
      result={data.result}
      chosen={null}
      unfolded={false}
      onChoose={onOpen}
      onUnfold={onOpen}
      onShow={() => undefined}
    />
  );
}
