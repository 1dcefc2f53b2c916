/** Short lists of settings below one search field, whose text, filters and order are in the address. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import type { ListSearch } from '../../lib/list-search';
import { ListFilters } from '../../ui/ListFilters';
import { ListSearchContext } from '../../ui/list-search-context';
import type { SettingsTab } from '../settings-tabs';

const teamRoute = getRouteApi('/t/$team');
const route = getRouteApi('/t/$team/settings');

type Search = ListSearch & { tab: SettingsTab; role?: string | undefined };
type SearchedListsProps = Pick<
  ComponentProps<typeof ListFilters<Search>>,
  'noun' | 'searched' | 'filters'
> & { children: ReactNode };

export function SearchedLists({ children, ...fields }: SearchedListsProps) {
  const { team } = teamRoute.useRouteContext();
  const search: Search = route.useSearch();
  const navigate = useNavigate();
  const onSearch = (next: Search) =>
    void navigate({
      to: '/t/$team/settings',
      params: { team: team.slug },
      search: next,
      replace: true,
    });
  return (
    <ListSearchContext value={{ search, onSort: (sort) => onSearch({ ...search, sort }) }}>
      <ListFilters {...fields} search={search} onSearch={onSearch} />
      {children}
    </ListSearchContext>
  );
}

/** The order of lists without heads that could be pressed. */
export const ORDER_BY_NAME = {
  name: 'sort',
  label: 'Order',
  options: [
    { value: 'name', label: 'Name, A to Z' },
    { value: '-name', label: 'Name, Z to A' },
  ],
};
