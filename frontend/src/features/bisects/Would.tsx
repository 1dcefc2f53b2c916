/** What would be believed by what a probe may tell, while nothing is known of it yet. */
import type { Probe } from '../../api';
import classes from './bisects.module.css';
import { beliefText, shortSha } from './wording';

type Told = NonNullable<Probe['would']>['slower'];

export function Would({ probe }: { probe: Probe }) {
  if (!probe.would) return null;
  const { slower, not_slower: not } = probe.would;
  return (
    <p className={`${classes.would} muted`}>
      If it is slower, <Belief told={slower} />; if not, <Belief told={not} />.
    </p>
  );
}

function Belief({ told }: { told: Told }) {
  if (!told) return <>it is not in this range</>;
  return (
    <>
      belief in{' '}
      <span className="mono t2" title={told.title}>
        {shortSha(told.sha)}
      </span>{' '}
      becomes <span className="t2">{beliefText(told.belief)}</span>
    </>
  );
}
