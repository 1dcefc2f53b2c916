/** What would be believed by what a probe may tell, while nothing is known of it yet. */
import type { Probe } from '../../../api';
import classes from './bisects.module.css';
import { posteriorText, shortSha } from './bisect-wording';

type PreviewState = NonNullable<Probe['posterior_preview']>['if_slower'];

export function PosteriorPreview({ probe }: { probe: Probe }) {
  if (!probe.posterior_preview) return null;
  const { if_slower: slower, if_not_slower: not } = probe.posterior_preview;
  return (
    <p className={`${classes.posterior_preview} muted`}>
      If slower: <PosteriorBefore told={slower} />; if not, <PosteriorBefore told={not} />.
    </p>
  );
}

function PosteriorBefore({ told }: { told: PreviewState }) {
  if (!told) return <>culprit not in range</>;
  return (
    <>
      probability of{' '}
      <span className="mono t2" title={told.title}>
        {shortSha(told.sha)}
      </span>{' '}
      becomes <span className="t2">{posteriorText(told.posterior)}</span>
    </>
  );
}
