/** The runners of a team: which are there, what they run, and how another is started. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Runner } from '../../../api';
import {
  DeleteDialog,
  ListRow,
  ListSection,
  RowAction,
  RowActions,
  RowLine,
  RowName,
  StateIcon,
  Timestamp,
  countOf,
} from '../../../ui';
import { RunnerCommand, type RunnerTeam } from './RunnerCommand';
import { labelTexts } from './runner-labels';
import { deleteRunner, runnersQuery } from './bisect-queries';

export type RunnersProps = { team: RunnerTeam };

export default function Runners({ team }: RunnersProps) {
  const runners = useQuery(runnersQuery);
  const [leaving, setLeaving] = useState<Runner | null>(null);
  return (
    <ListSection
      title="Runners"
      help="runner"
      aside="deploy and measure builds for bisects in your infrastructure"
      kept={{ ...runners, data: runners.data && { items: runners.data } }}
      add={undefined}
      empty="No runners yet. Start one with a single command on a host that can deploy the service."
      row={(runner) => (
        <Row
          runner={runner}
          onForget={
            team.mayManage
              ? () => {
                  setLeaving(runner);
                }
              : undefined
          }
        />
      )}
    >
      {runners.data && <RunnerCommand team={team} />}
      {leaving && (
        <DeleteRunner
          runner={leaving}
          onClose={() => {
            setLeaving(null);
          }}
        />
      )}
    </ListSection>
  );
}

function Row({ runner, onForget }: { runner: Runner; onForget?: () => void }) {
  const { name, alive, seen_at, left_at, slots, running, version, host, labels } = runner;
  return (
    <ListRow label={name}>
      <RowLine>
        <StateIcon glyph={alive ? (running > 0 ? 'running' : 'done') : 'ended'}>
          {alive ? (running > 0 ? 'busy' : 'online') : left_at ? 'ended' : 'offline'}
        </StateIcon>
        <RowName>{name}</RowName>
        <span className="muted">
          {running} of {countOf(slots, 'slot')} taken
        </span>
        <span className="muted">
          seen <Timestamp at={seen_at} />
        </span>
        {host !== '' && host !== name && <span className="muted">on {host}</span>}
        {version !== '' && <span className="muted">version {version}</span>}
        {onForget && (
          <RowActions>
            <RowAction word="Remove" label={`Remove ${name}`} onClick={onForget} />
          </RowActions>
        )}
      </RowLine>
      {Object.keys(labels).length > 0 && (
        <RowLine>
          <span className="muted">{labelTexts(labels).join(' · ')}</span>
        </RowLine>
      )}
    </ListRow>
  );
}

function DeleteRunner({ runner, onClose }: { runner: Runner; onClose: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteRunner(runner.name),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['runner'] }),
  });
  return (
    <DeleteDialog name={runner.name} noun="runner" remove={remove} onClose={onClose}>
      Its running probes are requeued. A runner that is still online reappears; revoke its token to
      prevent that.
    </DeleteDialog>
  );
}
