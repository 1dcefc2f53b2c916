/** The list of the runners of a team: which are online, what they run, and how to start another. */
import { useQuery } from '@tanstack/react-query';
import type { Runner } from '../../../../api';
import {
  DeleteResource,
  EditableList,
  ListRow,
  RowAction,
  RowActions,
  RowLine,
  RowName,
  StateIcon,
  Timestamp,
  countOf,
} from '../../../../ui';
import { RunnerCommand, type RunnerTeam } from './RunnerCommand';
import { labelTexts } from '../shared/runner-labels';
import { deleteRunner, runnersQuery } from '../shared/bisect-queries';

export type RunnersProps = { team: RunnerTeam };

export default function Runners({ team }: RunnersProps) {
  const runners = useQuery(runnersQuery);
  return (
    <EditableList
      title="Runners"
      help="runner"
      aside="deploy and measure builds for bisects in your infrastructure"
      query={{ ...runners, data: runners.data && { items: runners.data } }}
      empty="No runners yet. Start one with a single command on a host that can deploy the service."
      columns={[
        { id: 'name', head: 'Name', text: ({ name }) => name },
        { id: 'labels', head: 'Labels', text: ({ labels }) => labelTexts(labels).join(', ') },
      ]}
      row={(runner, { onDelete }) => (
        <Row runner={runner} onRemove={team.mayManage ? onDelete : undefined} />
      )}
      deletion={({ name }, onClose) => (
        <DeleteResource
          name={name}
          noun="runner"
          request={() => deleteRunner(name)}
          stale={['runner']}
          onClose={onClose}
        >
          Its running probes are requeued. A runner that is still online reappears; revoke its token
          to prevent that.
        </DeleteResource>
      )}
    >
      {runners.data && <RunnerCommand team={team} />}
    </EditableList>
  );
}

function Row({ runner, onRemove }: { runner: Runner; onRemove?: () => void }) {
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
        {onRemove && (
          <RowActions>
            <RowAction word="Remove" label={`Remove ${name}`} onClick={onRemove} />
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
