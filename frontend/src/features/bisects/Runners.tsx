/** The runners of a team: which are there, what they run, and how another is started. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Runner } from '../../api';
import {
  DeleteDialog,
  ListRow,
  ListSection,
  RowAct,
  RowActs,
  RowLine,
  RowName,
  StateGlyph,
  Time,
  countOf,
} from '../../ui';
import { RunnerCommand, type RunnerTeam } from './RunnerCommand';
import { labelTexts } from './labels';
import { forgetRunner, runnersQuery } from './queries';

export type RunnersProps = { team: RunnerTeam };

export default function Runners({ team }: RunnersProps) {
  const runners = useQuery(runnersQuery);
  const [leaving, setLeaving] = useState<Runner | null>(null);
  return (
    <ListSection
      title="Runners"
      aside="deploy and measure builds for bisects, in your own infrastructure"
      kept={{ ...runners, data: runners.data && { items: runners.data } }}
      add={undefined}
      empty="No runner has been seen yet. One starts with one command, wherever the service can be deployed."
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
        <Forget
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
        <StateGlyph glyph={alive ? (running > 0 ? 'running' : 'done') : 'ended'}>
          {alive ? (running > 0 ? 'at work' : 'alive') : left_at ? 'ended' : 'silent'}
        </StateGlyph>
        <RowName>{name}</RowName>
        <span className="muted">
          {running} of {countOf(slots, 'slot')} taken
        </span>
        <span className="muted">
          seen <Time at={seen_at} />
        </span>
        {host !== '' && host !== name && <span className="muted">on {host}</span>}
        {version !== '' && <span className="muted">version {version}</span>}
        {onForget && (
          <RowActs>
            <RowAct word="Forget" label={`Forget ${name}`} onClick={onForget} />
          </RowActs>
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

function Forget({ runner, onClose }: { runner: Runner; onClose: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => forgetRunner(runner.name),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['runner'] }),
  });
  return (
    <DeleteDialog name={runner.name} noun="runner" remove={remove} onClose={onClose}>
      What it runs is lost and asked for again. If it is still there it comes back; to keep it away,
      revoke its token.
    </DeleteDialog>
  );
}
