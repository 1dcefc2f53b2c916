/** Who would deploy for a search that is being started; without anybody, how a runner is started. */
import type { BisectOffer } from '../../api';
import { countOf } from '../../ui';
import { RunnerCommand, type RunnerTeam } from './RunnerCommand';
import { hasLabels, labelTexts, type Labels } from './labels';

type Props = { offer: BisectOffer; team: RunnerTeam; wanted: Labels };

export function RunnersThere({ offer, team, wanted }: Props) {
  const alive = offer.runners.filter((one) => one.alive);
  const fit = alive.filter((one) => hasLabels(one, wanted));
  if (fit.length > 0)
    return (
      <p>
        <span className="muted">Deployed by </span>
        {fit.map(({ name, slots }) => `${name} (${countOf(slots, 'slot')})`).join(', ')}
      </p>
    );
  return (
    <div>
      <p>
        <b>
          {alive.length === 0
            ? 'No runner is there yet.'
            : `No runner with ${labelTexts(wanted).join(', ')} is there.`}
        </b>{' '}
        <span className="muted">
          The search can begin and waits for one.
          {alive.length > 0 && ` There: ${alive.map(({ name }) => name).join(', ')}.`}
        </span>
      </p>
      <RunnerCommand team={team} labels={wanted} />
    </div>
  );
}
