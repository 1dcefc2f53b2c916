/** Short lists of settings below one search field, whose text, filters and order are in the address. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { ListFilters } from '../../ui/ListFilters';
import { ListSearchContext } from '../../ui/list-search-context';

const teamRoute = getRouteApi('/t/$team');
const route = getRouteApi('/t/$team/settings');

type Search = ReturnType<typeof route.useSearch>;
type SearchedListsProps = Pick<
  ComponentProps<typeof ListFilters<Search>>,
  'noun' | 'searched' | 'filters'
> & { children: ReactNode };

export function SearchedLists({ children, ...fields }: SearchedListsProps) {
  const { team } = teamRoute.useRouteContext();
  const search = route.useSearch();
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
