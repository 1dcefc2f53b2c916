/** The authors, reviewers and owners of the culprit of a bisect, or of its top suspect. */
import type { ReactNode } from 'react';
import type { Bisect } from '../../../../api';
import { suspectName } from '../shared/bisect-wording';
import { CommitPeopleLine, type CommitMember } from '../../../inventory/repositories';

type CulpritProps = {
  bisect: Bisect;
  commit: (repositoryId: string, sha: string, words: ReactNode) => ReactNode;
  /** Returns the actions on one of the people. */
  action?: (person: CommitMember) => ReactNode;
};

export function CulpritPeople({ bisect, commit, action }: CulpritProps) {
  const { culprit, levels } = bisect;
  const level = levels.find((one) => one.culprit?.sha === culprit?.sha);
  if (!culprit || !level?.repository_id) return null;
  return (
    <CommitPeopleLine
      repositoryId={level.repository_id}
      sha={culprit.sha}
      label={suspectName(bisect)}
      commitLink={commit}
      action={action}
    />
  );
}
