/**
 * The page of both sides of a comparison before it is created: what they contain, and what it could
 * conclude.
 */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ComparisonPreview } from '../../../api';
import { ErrorState, useTitle } from '../../../ui';
import { servicesQuery } from '../../inventory/catalog';
import { CompareHeader } from './CompareHeader';
import { Conclusions } from './Conclusions';
import { PreviewCaveats } from './PreviewCaveats';
import { SidePanel } from './SidePanel';
import { SuggestedPairs } from './SuggestedPairs';
import classes from './compare.module.css';
import { conclusionsQuery, sidePreviewQuery, splitBuild, startComparison } from './preview-queries';
import { explainDisabledStart, isSameBuild } from './preview-wording';
import {
  EMPTY_SIDE,
  SIDES,
  chooseSource,
  otherSide,
  swapChoice,
  type SidesChoice,
} from './side-choice';

export type ComparePageProps = {
  choice: SidesChoice;
  /** `replace` is for changes that are not separate history steps, such as a keystroke. */
  onChoice: (choice: SidesChoice, replace: boolean) => void;
  onStarted: (comparisonId: string) => void;
  mayWrite: boolean;
};

export default function ComparePage({ choice, onChoice, onStarted, mayWrite }: ComparePageProps) {
  useTitle('Compare');
  // The key of the panels: a new value resets the typed text when a side is replaced as a whole.
  const [round, setRound] = useState(0);
  const replaceSides = (next: SidesChoice) => {
    setRound(round + 1);
    onChoice(next, false);
  };
  const states = usePreviews(choice);
  const previews = { base: states.base.data, candidate: states.candidate.data };
  const both = useQuery(conclusionsQuery(choice.base.source, choice.candidate.source));
  const start = useStart(choice, onStarted);
  const services = useQuery(servicesQuery);
  const serviceId =
    choice.candidate.service || choice.base.service || (services.data?.items[0]?.id ?? '');
  return (
    <>
      <CompareHeader
        choice={choice}
        previews={previews}
        both={both.data}
        disabledReason={explainDisabledStart(choice, previews, both, mayWrite)}
        isStarting={start.isPending}
        onSwap={() => replaceSides(swapChoice(choice))}
        onStart={() => start.mutate()}
      />
      {start.error && (
        <div className={classes.inset}>
          <ErrorState what="Could not start the comparison" error={start.error} />
        </div>
      )}
      <SuggestedPairs
        serviceId={serviceId}
        choice={choice}
        previews={previews}
        onPick={({ base, candidate }) =>
          replaceSides({
            base: chooseSource(base, choice.base),
            candidate: chooseSource(candidate, choice.candidate),
          })
        }
      />
      <div className={classes.sides}>
        {SIDES.map((side) => (
          <SidePanel
            key={`${side} ${round}`}
            side={side}
            choice={choice[side]}
            otherSource={choice[otherSide(side)].source}
            preview={states[side]}
            other={previews[otherSide(side)]}
            onChoice={(next, replace) => onChoice({ ...choice, [side]: next }, replace)}
            onClear={() => {
              const { kind, service } = choice[side];
              replaceSides({ ...choice, [side]: { ...EMPTY_SIDE, kind, service } });
            }}
          />
        ))}
      </div>
      {isSameBuild(choice, previews) && both.data && !both.data.can_compare && (
        <SplitBuild
          buildId={previews.base?.build_id ?? ''}
          onSplit={replaceSides}
          choice={choice}
        />
      )}
      <Outlook query={both} isErrorShown={!states.base.error && !states.candidate.error} />
    </>
  );
}

function usePreviews({ base, candidate }: SidesChoice) {
  const first = useQuery(sidePreviewQuery('base', base.source));
  const second = useQuery(sidePreviewQuery('candidate', candidate.source));
  return { base: first, candidate: second };
}

function useStart({ base, candidate }: SidesChoice, onStarted: (id: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      if (!base.source || !candidate.source) throw new Error('A side is not chosen.');
      return startComparison(base.source, candidate.source);
    },
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['comparison', 'list'] });
      void client.invalidateQueries({ queryKey: ['comparison-suggestion'] });
      onStarted(id);
    },
  });
}

type OutlookProps = {
  /** The error of a side is shown on that side. */
  isErrorShown: boolean;
  query: { data: ComparisonPreview | undefined; error: Error | null; isPlaceholderData: boolean };
};

function Outlook({ query: { data, error, isPlaceholderData }, isErrorShown }: OutlookProps) {
  return (
    <>
      {error && isErrorShown && (
        <div className={classes.inset}>
          <ErrorState error={error} />
        </div>
      )}
      {data && <PreviewCaveats caveats={data.caveats} />}
      {data && <Conclusions preview={data} isOld={isPlaceholderData} />}
    </>
  );
}

type SplitProps = {
  buildId: string;
  choice: SidesChoice;
  onSplit: (choice: SidesChoice) => void;
};

/**
 * Offers to split the files of a build: both sides cannot have the same files, but halves of them.
 */
function SplitBuild({ buildId, choice, onSplit }: SplitProps) {
  const split = useMutation({
    mutationFn: () => splitBuild(buildId),
    onSuccess: ({ base, candidate }) =>
      onSplit({
        base: chooseSource(base, choice.base),
        candidate: chooseSource(candidate, choice.candidate),
      }),
  });
  return (
    <div className={classes.split}>
      <span>Both sides have the same files. Compare one half of them with the other half:</span>
      <Button loading={split.isPending} onClick={() => split.mutate()}>
        Split the files
      </Button>
      {split.error && <ErrorState compact error={split.error} />}
    </div>
  );
}
