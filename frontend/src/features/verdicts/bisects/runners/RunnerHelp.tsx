/** Instructions to start a runner, shown while a bisect waits for one. */
import { useQuery } from '@tanstack/react-query';
import type { Bisect } from '../../../../api';
import { Section } from '../../../../ui';
import { RunnerCommand, type RunnerTeam } from './RunnerCommand';
import { hasLabels, labelTexts } from '../shared/runner-labels';
import { runnersQuery } from '../shared/bisect-queries';
import { isOpen } from '../shared/bisect-wording';

const POLL_MS = 5000;

export function RunnerHelp({ bisect, team }: { bisect: Bisect; team: RunnerTeam }) {
  const open = isOpen(bisect);
  const runners = useQuery({
    ...runnersQuery,
    enabled: open,
    refetchInterval: open ? POLL_MS : false,
  });
  const wanted = bisect.settings.runner_labels ?? {};
  const alive = runners.data?.filter((one) => one.alive) ?? [];
  if (!open || !runners.data || alive.some((one) => hasLabels(one, wanted))) return null;
  return (
    <Section
      title={
        alive.length === 0
          ? 'No runners available'
          : `No runner with ${labelTexts(wanted).join(', ')} is available`
      }
      aside="a runner deploys and measures in your infrastructure and needs only outgoing HTTPS"
    >
      <RunnerCommand team={team} labels={wanted} />
    </Section>
  );
}
