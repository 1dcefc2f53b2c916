/** *Start a bisect*: range, criterion and limits on the left; what is there and what it will take on the right. */
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ErrorState, PageHeader, SkeletonRows, useTitle } from '../../../ui';
import { StartForm } from './StartForm';
import type { NamedRepository, NamedService } from './RangeRepositories';
import type { RunnerTeam } from './RunnerCommand';
import { proposalQuery, type Subject } from './bisect-queries';
import { NOTHING_CHOSEN, type StartChoice } from './start-request';

export type StartBisectPageProps = {
  /** What it begins from; null: a service is chosen on the page. */
  subject: Subject | null;
  team: RunnerTeam;
  services: NamedService[];
  repositories: NamedRepository[];
  back: ReactNode;
  onStarted: (id: string) => void;
  /** To the bisects that a regression has already. */
  link: (id: string, words: ReactNode) => ReactNode;
  /** To where repositories are set up. */
  integrations: (words: ReactNode) => ReactNode;
};

export default function StartBisectPage(props: StartBisectPageProps) {
  useTitle('New bisect');
  const [choice, setChoice] = useState<StartChoice>(NOTHING_CHOSEN);
  const subject = props.subject ?? (choice.serviceId ? { service_id: choice.serviceId } : null);
  const offer = useQuery(proposalQuery(subject));
  if (offer.error)
    return <ErrorState what="Could not load the bisect proposal" error={offer.error} />;
  if (!offer.data)
    return (
      <>
        <PageHeader title="New bisect" above={props.back} />
        <SkeletonRows rows={6} label="Loading commits and measurements" />
      </>
    );
  return (
    <StartForm
      {...props}
      subject={subject}
      offer={offer.data}
      choice={choice}
      onChoice={(change) => setChoice((former) => ({ ...former, ...change }))}
    />
  );
}
