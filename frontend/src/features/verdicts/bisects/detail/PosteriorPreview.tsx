/** The top suspect after each possible verdict of a probe without measurements. */
import type { Probe } from '../../../../api';
import { Likelihood } from '../../../../ui/Likelihood';
import { shortCommit } from '../../../../lib/commits';
import classes from '../shared/bisects.module.css';
import { LEAST_WORDED, posteriorText } from '../shared/bisect-wording';

type PreviewState = NonNullable<Probe['posterior_preview']>['if_slower'];

export function PosteriorPreview({ probe }: { probe: Probe }) {
  if (!probe.posterior_preview) return null;
  const { if_slower, if_not_slower } = probe.posterior_preview;
  return (
    <p className={`${classes.posteriorPreview} muted`}>
      If slower: <PosteriorAfter state={if_slower} />; if not,{' '}
      <PosteriorAfter state={if_not_slower} />.
    </p>
  );
}

function PosteriorAfter({ state }: { state: PreviewState }) {
  if (!state) return <>culprit not in range</>;
  return (
    <>
      <span className="mono t2" title={state.title}>
        {shortCommit(state.sha)}
      </span>{' '}
      is{' '}
      {state.posterior < LEAST_WORDED ? (
        `the top suspect (${posteriorText(state.posterior)})`
      ) : (
        <Likelihood probability={state.posterior} text={posteriorText(state.posterior)} />
      )}
    </>
  );
}
