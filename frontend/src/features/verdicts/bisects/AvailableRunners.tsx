/** Who would deploy for a search that is being started; without one, how to start a runner. */
import type { BisectProposalOut } from '../../../api';
import { countOf } from '../../../ui';
import { RunnerCommand, type RunnerTeam } from './RunnerCommand';
import { hasLabels, labelTexts, type Labels } from './runner-labels';

type Props = { offer: BisectProposalOut; team: RunnerTeam; wanted: Labels };

export function AvailableRunners({ offer, team, wanted }: Props) {
  const alive = offer.runners.filter((one) => one.alive);
  const fit = alive.filter((one) => hasLabels(one, wanted));
  if (fit.length > 0)
    return (
      <p>
        <span className="muted">Available runners </span>
        {fit.map(({ name, slots }) => `${name} (${countOf(slots, 'slot')})`).join(', ')}
      </p>
    );
  return (
    <div>
      <p>
        <b>
          {alive.length === 0
            ? 'No runners available.'
            : `No runner with ${labelTexts(wanted).join(', ')} is available.`}
        </b>{' '}
        <span className="muted">
          The bisect can start and waits for one.
          {alive.length > 0 && ` Available: ${alive.map(({ name }) => name).join(', ')}.`}
        </span>
      </p>
      <RunnerCommand team={team} labels={wanted} />
    </div>
  );
}
