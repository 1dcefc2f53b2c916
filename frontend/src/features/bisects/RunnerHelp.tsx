/** While a search waits for somebody to deploy: how a runner is started. */
import { useQuery } from '@tanstack/react-query';
import type { Bisect } from '../../api';
import { Section } from '../../ui';
import { RunnerCommand, type RunnerTeam } from './RunnerCommand';
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
  if (!open || !runners.data || runners.data.some(({ alive }) => alive)) return null;
  return (
    <Section
      title="No runner is there"
      aside="a runner deploys and measures in your own infrastructure, by outgoing HTTPS only"
    >
      <RunnerCommand team={team} />
    </Section>
  );
}
