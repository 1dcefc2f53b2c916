/** The way to the choice of sides, with profiles already chosen. */
import { Button } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import type { LabelMatcher } from '../api';
import type { ProfileSide } from '../features/evidence/profiles';

type CompareLinkProps = {
  team: string;
  base: ProfileSide;
  /** Null leaves the side open. */
  candidate: ProfileSide | null;
  words: string;
  /** As the button of the page's next action; else as a link in text. */
  primary?: boolean;
};

const pairs = (labels: LabelMatcher[]) =>
  labels.length > 0 ? labels.map(({ key, value }) => [key, value]) : undefined;

const sourceText = ({ artifactIds }: ProfileSide): string => `artifacts:${artifactIds.join(',')}`;

export function CompareLink({ team, base, candidate, words, primary = false }: CompareLinkProps) {
  const router = useRouter();
  const search = {
    base: sourceText(base),
    baseLabels: pairs(base.labels),
    candidate: candidate ? sourceText(candidate) : undefined,
    candidateLabels: candidate ? pairs(candidate.labels) : undefined,
    // Values of a label are chosen in the list of labels.
    candidateBy: candidate ? undefined : 'artifacts',
  };
  const given = Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined),
  );
  const href = `/t/${team}/compare${router.options.stringifySearch(given)}`;
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    router.history.push(href);
  };
  if (primary)
    return (
      <Button component="a" variant="filled" href={href} onClick={follow}>
        {words}
      </Button>
    );
  return (
    <a className="link" href={href} onClick={follow}>
      {words}
    </a>
  );
}
