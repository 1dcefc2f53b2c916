/** The most suspicious commit between the sides of a comparison, if both are builds of one service. */
import { useQuery } from '@tanstack/react-query';
import { AssignPerson, SuspectCommit } from '../features/inventory/repositories';
import {
  assignComparison,
  comparedCommitsQuery,
  comparisonQuery,
} from '../features/verdicts/comparisons';
import { commitLink } from './commit-link';

/** Functions of the first findings, which are the most important ones. */
const MOST_FINDINGS = 3;

type SuspectProps = { team: string; comparisonId: string; mayAssign: boolean };

export function ComparisonSuspect({ team, comparisonId, mayAssign }: SuspectProps) {
  const commits = useQuery(comparedCommitsQuery(comparisonId)).data;
  const comparison = useQuery(comparisonQuery(comparisonId)).data;
  if (!commits?.service_id || !commits.base || !commits.candidate) return null;
  if (commits.base === commits.candidate || !comparison?.result) return null;
  const functions = comparison.result.findings
    .slice(0, MOST_FINDINGS)
    .flatMap((finding) => finding.attributed_callers.map((caller) => caller.function));
  return (
    <SuspectCommit
      serviceId={commits.service_id}
      good={commits.base}
      bad={commits.candidate}
      functions={[...new Set(functions)].slice(0, 50)}
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
