/** The page of one profile set, or of one artifact. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { makeConnectionLostError } from '../../../api';
import { ErrorState, PageHeader, SkeletonRows, useTitle } from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import { OpenedProfileSet } from './OpenedProfileSet';
import type { ProfilePageContext } from './profile-context';
import { POLL_MS, isUnderWay, profileSetQuery, setOfArtifactsQuery } from './profile-queries';
import { setName } from './profile-wording';
import classes from './profiles.module.css';

export type ProfileSetPageProps = { setId: string; context: ProfilePageContext };

export default function ProfileSetPage({ setId, context }: ProfileSetPageProps) {
  const pollWhile = usePollWhile();
  const set = useQuery({
    ...profileSetQuery(setId),
    refetchInterval: ({ state }) => {
      const { data } = state;
      if (!data) return false;
      // The kinds are known within a second; views that others requested may take longer.
      return isUnderWay(data) ? POLL_MS : pollWhile(data.views.some(isUnderWay));
    },
  });
  useTitle(set.data ? setName(set.data) : 'Profile');
  const failed = makeConnectionLostError(set) ?? null;
  if (failed)
    return <PageFailure context={context} error={failed} again={() => void set.refetch()} />;
  if (!set.data) return <Waiting words="Opening the profile" context={context} title="Profile" />;
  const { data } = set;
  if (isUnderWay(data) && data.kinds.length === 0) {
    const decoding = data.artifacts.some(
      ({ state }) => state === 'received' || state === 'decoding',
    );
    return (
      <Waiting
        context={context}
        title={setName(data)}
        words={decoding ? 'Decoding. The graph is shown when it is ready' : 'Reading the profiles'}
      />
    );
  }
  return <OpenedProfileSet set={data} context={context} again={() => void set.refetch()} />;
}

export type ArtifactProfileProps = {
  artifactId: string;
  /** Whether the artifact is decoded; only then is its set opened. */
  isDecoded: boolean;
  name: string;
  context: ProfilePageContext;
};

/** The page of one artifact: of the set with only this artifact. */
export function ArtifactProfile(props: ArtifactProfileProps) {
  const { artifactId, isDecoded, name, context } = props;
  const set = useQuery({ ...setOfArtifactsQuery([artifactId]), enabled: isDecoded });
  const id = set.data?.id;
  if (set.error)
    return <PageFailure context={context} error={set.error} again={() => void set.refetch()} />;
  if (id === undefined)
    return (
      <Waiting
        context={context}
        title={name}
        words={isDecoded ? 'Opening the profile' : 'Decoding. The graph is shown when it is ready'}
      />
    );
  return <ProfileSetPage setId={id} context={context} />;
}

type WaitingProps = { context: ProfilePageContext; title: string; words: string };

/** The page while it loads, in its final layout, with the profile's name and run metadata. */
function Waiting({ context, title, words }: WaitingProps) {
  return (
    <>
      <PageHeader above={context.above} title={<span className="mono">{title}</span>} sub={words} />
      <div className={classes.inset}>
        <SkeletonRows rows={14} height={18} label={words} />
      </div>
      {context.metadata}
    </>
  );
}

type FailureProps = { context: ProfilePageContext; error: Error; again: () => void };

function PageFailure({ context, error, again }: FailureProps) {
  return (
    <>
      <PageHeader above={context.above} title="Could not open the profile" />
      <div className={classes.inset}>
        <ErrorState error={error} action={<Button onClick={again}>Try again</Button>} />
      </div>
      {context.metadata}
    </>
  );
}
