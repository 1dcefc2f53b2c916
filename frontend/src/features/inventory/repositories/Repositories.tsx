/** The repositories of services: fetched from a URL, or known from pushed commit metadata. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Repository } from '../../../api';
import {
  CREDENTIALS,
  DeleteResource,
  EditableList,
  ErrorState,
  ListRow,
  RowAction,
  RowActions,
  RowLine,
  RowName,
  RowText,
  StateIcon,
  Timestamp,
  countOf,
} from '../../../ui';
import { RepositoryForm } from './RepositoryForm';
import { deleteRepository, fetchRepository, repositoriesQuery } from './commit-queries';
import { KINDS, problemOf } from './commit-wording';

export type RepositoriesProps = { mayManage: boolean; mayWrite: boolean };

export default function Repositories({ mayManage, mayWrite }: RepositoriesProps) {
  const repositories = useQuery(repositoriesQuery);
  return (
    <EditableList
      title="Repositories"
      help="codeHosts"
      aside="source of the commits between two builds"
      query={repositories}
      add={mayManage && 'Add repository'}
      empty="No repositories yet. Add one to list the commits that may have caused a regression."
      columns={[
        { id: 'name', head: 'Name', text: ({ name }) => name },
        { id: 'address', head: 'Address', text: ({ url }) => url },
        { id: 'kind', head: 'Kind', text: ({ kind }) => kind },
      ]}
      row={(repository, dialogs) => (
        <RepositoryRow
          repository={repository}
          mayManage={mayManage}
          mayWrite={mayWrite}
          {...dialogs}
        />
      )}
      form={(repository, onDone) => <RepositoryForm repository={repository} onDone={onDone} />}
      deletion={({ id, name }, onClose) => (
        <DeleteResource
          name={name}
          noun="repository"
          request={() => deleteRepository(id)}
          stale={['repository']}
          onClose={onClose}
        >
          Deletes its credentials and all of its commit data.
        </DeleteResource>
      )}
    />
  );
}

type RowProps = {
  repository: Repository;
  mayManage: boolean;
  mayWrite: boolean;
  onEdit: () => void;
  onDelete: () => void;
};

function RepositoryRow({ repository, mayManage, mayWrite, onEdit, onDelete }: RowProps) {
  const client = useQueryClient();
  const fetch = useMutation({
    mutationFn: () => fetchRepository(repository.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['repository'] }),
  });
  const named = (word: string) => `${word} ${repository.name}`;
  return (
    <ListRow label={repository.name}>
      <RowLine>
        <RowName>{repository.name}</RowName>
        <span className="muted">{KINDS[repository.kind]}</span>
        {repository.url && (
          <>
            <RowText mono>{repository.url}</RowText>
            <span className="muted">{CREDENTIALS[repository.credentials]}</span>
          </>
        )}
        <RowActions>
          {mayWrite && repository.url !== null && (
            <RowAction
              word="Fetch"
              label={named('Fetch')}
              loading={fetch.isPending || repository.is_fetching}
              onClick={() => fetch.mutate()}
            />
          )}
          {mayManage && <RowAction word="Edit" label={named('Edit')} onClick={onEdit} />}
          {mayManage && <RowAction word="Delete" label={named('Delete')} onClick={onDelete} />}
        </RowActions>
      </RowLine>
      <FetchState repository={repository} />
      {fetch.error && <ErrorState compact error={fetch.error} />}
      <p className="t2">
        {repository.services.length === 0
          ? 'No services linked.'
          : `Builds ${repository.services
              .map(({ service_name, directory, main_package }) => {
                const folder = [directory, main_package].filter(Boolean).join('/');
                return folder ? `${service_name} (${folder})` : service_name;
              })
              .join(', ')}.`}
      </p>
    </ListRow>
  );
}

function FetchState({ repository }: { repository: Repository }) {
  const {
    is_fetching: fetching,
    fetched_at,
    problem,
    commits,
    branches,
    default_branch,
  } = repository;
  const known = [
    countOf(commits, 'commit'),
    branches > 0 && countOf(branches, 'branch', 'branches'),
    default_branch !== null && `default ${default_branch}`,
  ]
    .filter(Boolean)
    .join(', ');
  if (problem && !fetching) {
    return <ErrorState compact what="Fetch failed" error={problemOf(problem)} />;
  }
  return (
    <RowLine role="status">
      <StateIcon glyph={fetching ? 'running' : fetched_at || commits > 0 ? 'done' : 'waiting'}>
        {fetching ? 'fetching' : known}
      </StateIcon>
      {fetched_at && (
        <span className="muted">
          fetched <Timestamp at={fetched_at} />
        </span>
      )}
    </RowLine>
  );
}
