import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';

export const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: ({ signal }) => calls.searchList({ query: { q: text }, signal }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
