/** The repository to search, and the dependencies that are updated in the range. */
import { Button, Select } from '@mantine/core';
import type { BisectProposalOut, PreflightOut } from '../../../../api';
import { lastOf, versionText } from '../shared/bisect-wording';
import classes from './start.module.css';

export type NamedService = { id: string; name: string };
/** A repository; without a URL its commits cannot be read. */
export type NamedRepository = NamedService & { url: string | null };

type Props = {
  offer: BisectProposalOut;
  repositories: NamedRepository[];
  chosen: string | null;
  preflight: PreflightOut | undefined;
  onChoose: (repositoryId: string) => void;
  onAdd: () => void;
};

const MOST = 6;

export function RangeRepositories(props: Props) {
  const { offer, repositories, chosen, preflight, onChoose, onAdd } = props;
  const modules = preflight?.report?.modules ?? [];
  return (
    <div className={classes.chips}>
      {offer.repository ? (
        <span className={classes.chip}>
          <b className="mono">{offer.repository.label}</b> {offer.service?.name}
        </span>
      ) : (
        <Select
          aria-label="Repository"
          placeholder="Choose the repository"
          searchable
          data={repositories.map(({ id, name }) => ({ value: id, label: name }))}
          value={chosen}
          onChange={(id) => {
            if (id) onChoose(id);
          }}
        />
      )}
      {modules.length > 0 && <span className="muted">updates</span>}
      {modules.slice(0, MOST).map(({ module, before, after, is_linked }) => (
        <span key={module} className={classes.chip} data-missing={!is_linked || undefined}>
          <b className="mono" title={module}>
            {lastOf(module)}
          </b>{' '}
          {versionText(before)} to {versionText(after)}
          {!is_linked && ', no repository'}
        </span>
      ))}
      {modules.length > MOST && <span className="muted">and {modules.length - MOST} more</span>}
      <Button onClick={onAdd}>Add repository</Button>
    </div>
  );
}
