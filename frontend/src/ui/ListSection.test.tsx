import { screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { show } from '../testing/render';
import { ListRow, ListSection } from './ListSection';
import { ListSearchContext } from './list-search-context';

type Row = { id: string; name: string };

const HOSTS = ['delta', 'alpha', 'echo', 'bravo', 'charlie', 'golf'];

function Sections({ counts, first = {} }: { counts: number[]; first?: Record<string, string> }) {
  const [search, setSearch] = useState<Record<string, unknown>>(first);
  return (
    <ListSearchContext
      value={{ search, onSearch: (changed) => setSearch({ ...search, ...changed }) }}
    >
      {counts.map((count, at) => (
        <ListSection<Row>
          key={at}
          title={`Hosts ${at}`}
          aside=""
          query={{
            data: { items: HOSTS.slice(0, count).map((name) => ({ id: name, name })) },
            error: null,
            isPending: false,
            refetch: () => undefined,
          }}
          add={null}
          empty="None"
          columns={[{ id: 'name', head: 'Name', text: ({ name }) => name }]}
          row={({ name }) => <ListRow label={name}>{name}</ListRow>}
        />
      ))}
    </ListSearchContext>
  );
}

const rows = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);

it('ListSection searches only its own rows and shows the field only for more than a few rows', async () => {
  const { user } = show(<Sections counts={[6, 2]} first={{ 'hosts-0-sort': '-name' }} />);
  expect(rows()).toEqual(['golf', 'echo', 'delta', 'charlie', 'bravo', 'alpha', 'delta', 'alpha']);
  expect(screen.getAllByRole('textbox')).toHaveLength(1);
  await user.type(screen.getByRole('textbox', { name: 'Search hosts 0' }), 'ALPH');
  await waitFor(() => expect(rows()).toEqual(['alpha', 'delta', 'alpha']));
});

it('ListSection keeps its search field while a search hides rows of a short list', async () => {
  const { user } = show(<Sections counts={[2]} first={{ 'hosts-0-q': 'zulu' }} />);
  expect(screen.getByText('No hosts 0 match the search.')).toBeInTheDocument();
  await user.clear(screen.getByRole('textbox', { name: 'Search hosts 0' }));
  await waitFor(() => expect(rows()).toEqual(['delta', 'alpha']));
});
