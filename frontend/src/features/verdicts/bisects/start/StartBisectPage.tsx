/** The page *Start a bisect*: range, criterion and limits left; checks and estimate right. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { BisectProposalOut } from '../../../../api';
import { ErrorState, PageHeader, SkeletonRows, useTitle } from '../../../../ui';
import { StartForm } from './StartForm';
import { proposalQuery } from '../shared/bisect-queries';
import { choicesUrl, readChoices } from './start-link';
import type { StartBisectPageProps } from './start-page-props';
import { NOTHING_CHOSEN, type StartChoice } from './start-request';

export default function StartBisectPage(props: StartBisectPageProps) {
  useTitle('New bisect');
  const [choice, setChoice] = useState<StartChoice>(
    () => readChoices(window.location.hash) ?? NOTHING_CHOSEN,
  );
  const subject = props.subject ?? (choice.serviceId ? { service_id: choice.serviceId } : null);
  const offer = useQuery(proposalQuery(subject));
  useChoiceInAddress(offer.data, choice);
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

/** Stores the choices in the fragment of the URL, so they survive a reload. */
function useChoiceInAddress(offer: BisectProposalOut | undefined, choice: StartChoice) {
  useEffect(() => {
    if (!offer || choice === NOTHING_CHOSEN) return;
    const address = choicesUrl(window.location.href, offer, choice);
    if (address !== window.location.href)
      window.history.replaceState(window.history.state, '', address);
  }, [offer, choice]);
}
