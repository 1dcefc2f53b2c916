import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ComparisonPreview, SidePreview } from '../../../api';
import { PageHeader } from '../../../ui';
import classes from './compare.module.css';
import { headlineParts, isSameBuild, sourceText } from './preview-wording';
import type { SideName, SidesChoice } from './side-choice';

type HeaderProps = {
  choice: SidesChoice;
  previews: Record<SideName, SidePreview | null | undefined>;
  both: ComparisonPreview | undefined;
  /** Why the comparison cannot be started, or null. */
  disabledReason: string | null;
  isStarting: boolean;
  onSwap: () => void;
  onStart: () => void;
};

/** Shows what the comparison could detect, or what is missing for it, and the actions. */
export function CompareHeader(props: HeaderProps) {
  const { choice, previews, both, disabledReason, isStarting, onSwap, onStart } = props;
  const clipboard = useClipboard();
  const parts = both && disabledReason === null ? headlineParts(both) : [];
  return (
    <PageHeader
      title={
        parts.length === 0
          ? disabledReason
          : parts.map(({ text, isAccent }) => (
              <span key={text} className={isAccent ? classes.accent : undefined}>
                {text}
              </span>
            ))
      }
      sub={<Sides choice={choice} previews={previews} />}
      actions={
        <>
          <Button onClick={() => clipboard.copy(window.location.href)}>
            {clipboard.copied ? 'Copied' : 'Copy link'}
          </Button>
          <Button onClick={onSwap}>Swap sides</Button>
          <Button
            variant="filled"
            disabled={disabledReason !== null}
            title={disabledReason ?? undefined}
            loading={isStarting}
            onClick={onStart}
          >
            Start comparison
          </Button>
        </>
      }
    />
  );
}

/** Shows "Base is branch or tag main, candidate is build 9c41e0a". */
function Sides({ choice, previews }: Pick<HeaderProps, 'choice' | 'previews'>) {
  const texts = (['base', 'candidate'] as const).flatMap((side) => {
    const { source } = choice[side];
    return source ? [`${side} is ${sourceText(source, previews[side])}`] : [];
  });
  if (texts.length === 0)
    return 'Choose what to compare: builds, branches and tags, deployments, time ranges, artifacts, or values of a label.';
  const [first = '', ...rest] = texts;
  const words = [`${first.slice(0, 1).toUpperCase()}${first.slice(1)}`, ...rest].join(', ');
  const sameBuild = isSameBuild(choice, previews);
  return (
    <>
      {sameBuild && (
        <b className={classes.sameBuild}>
          A/A: both sides are the same build, any difference is noise
        </b>
      )}
      {words} · the URL holds this choice
    </>
  );
}
