/** While a search waits for somebody to deploy: how a runner is started. */
import { useQuery } from '@tanstack/react-query';
import type { Bisect } from '../../api';
import { Section } from '../../ui';
import { RunnerCommand, type RunnerTeam } from './RunnerCommand';
import { hasLabels, labelTexts } from './labels';
import { runnersQuery } from './queries';
import { isOpen } from './wording';

const LOOK_MS = 5000;

export function RunnerHelp({ bisect, team }: { bisect: Bisect; team: RunnerTeam }) {
  const open = isOpen(bisect);
  const runners = useQuery({
    ...runnersQuery,
    enabled: open,
    refetchInterval: open ? LOOK_MS : false,
  });
  const wanted = bisect.settings.runner_labels ?? {};
  const alive = runners.data?.filter((one) => one.alive) ?? [];
  if (!open || !runners.data || alive.some((one) => hasLabels(one, wanted))) return null;
  return (
    <Section
      title={
        alive.length === 0
          ? 'No runner is there'
          : `No runner with ${labelTexts(wanted).join(', ')} is there`
      }
      aside="a runner deploys and measures in your own infrastructure, by outgoing HTTPS only"
    >
      <RunnerCommand team={team} labels={wanted} />
    </Section>
  );
}
