/** The most suspicious commit between the sides of a comparison, if both are builds of one service. */
import { useQuery } from '@tanstack/react-query';
import { AssignPerson, SuspectCommit } from '../features/inventory/repositories';
import {
  assignComparison,
  comparedCommitsQuery,
  comparisonQuery,
} from '../features/verdicts/comparisons';
import { commitLink } from './commit-link';

type SuspectProps = { team: string; comparisonId: string; mayAssign: boolean };

export function ComparisonSuspect({ team, comparisonId, mayAssign }: SuspectProps) {
  const commits = useQuery(comparedCommitsQuery(comparisonId)).data;
  const comparison = useQuery(comparisonQuery(comparisonId)).data;
  if (!commits?.service_id || !commits.base || !commits.candidate) return null;
  if (commits.base === commits.candidate || !comparison?.result) return null;
  return (
    <SuspectCommit
      serviceId={commits.service_id}
      good={commits.base}
      bad={commits.candidate}
      subject={{ comparison_id: comparisonId }}
      commitLink={commitLink(team)}
      action={
        mayAssign
          ? (person) => (
              <AssignPerson
                person={person}
                assigneeId={comparison.assignee?.id ?? null}
                assign={(assignee) => assignComparison(comparisonId, assignee)}
                changes="comparison"
              />
            )
          : undefined
      }
    />
  );
}
