/** A choice of repositories at the code hosts of known repositories, instead of entering a URL. */
import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState } from '../../../ui';
import { hostRepositoriesQuery, repositoriesQuery } from './commit-queries';
import { listedHosts, type ListedHost } from './listed-hosts';

/** The chosen repository, and the id of a known one at the same host whose credentials it uses. */
export type HostChoice = { name: string; url: string; credentialsOf: string };

type Props = { onChoose: (chosen: HostChoice) => void };

const MOST_SHOWN = 50;

export function HostRepositorySelect({ onChoose }: Props) {
  const repositories = useQuery(repositoriesQuery);
  const hosts = listedHosts(repositories.data?.items ?? []);
  const [origin, setOrigin] = useState<string | null>(null);
  const host = hosts.find((one) => one.origin === origin) ?? hosts[0];
  if (!host) return null;
  return (
    <>
      {hosts.length > 1 && (
        <Select
          label="Code host"
          data={hosts.map((one) => ({ value: one.origin, label: one.name }))}
          value={host.origin}
          allowDeselect={false}
          onChange={setOrigin}
        />
      )}
      <AtHost key={host.origin} host={host} onChoose={onChoose} />
    </>
  );
}

function AtHost({ host, onChoose }: Props & { host: ListedHost }) {
  const [isOpened, setOpened] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const listed = useQuery({ ...hostRepositoriesQuery(host.repositoryId), enabled: isOpened });
  const items = listed.data?.items ?? [];
  const choose = (url: string | null) => {
    const found = items.find((one) => one.url === url);
    setChosen(found?.url ?? null);
    if (found) onChoose({ name: found.name, url: found.url, credentialsOf: host.repositoryId });
  };
  return (
    <>
      <Select
        label={`Repository at ${host.name}`}
        description={`Those that the credentials of ${host.repositoryName} can read${
          listed.data?.is_complete === false ? ', the 1,000 that changed last' : ''
        }`}
        placeholder="Choose a repository"
        nothingFoundMessage={
          listed.isFetching
            ? 'Loading the list'
            : listed.error
              ? undefined
              : 'No repository has this name'
        }
        searchable
        limit={MOST_SHOWN}
        data={items.map(({ name, url, is_added }) => ({
          value: url,
          label: is_added ? `${name} (already added)` : name,
          disabled: is_added,
        }))}
        value={chosen}
        onDropdownOpen={() => setOpened(true)}
        onChange={choose}
      />
      {listed.error && (
        <ErrorState
          compact
          what="Could not list the repositories"
          error={listed.error}
          action={<Button onClick={() => void listed.refetch()}>Try again</Button>}
        />
      )}
    </>
  );
}
