/** Lists fetched page by page: the rows that are shown, and all rows for a file or sorting. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type QueryKey,
} from '@tanstack/react-query';

/** Maximum number of rows that are fetched for a file or another order. */
export const MAX_ROWS = 10_000;

type ListPage = { items: unknown[]; next_cursor: string | null };
type FetchPage<Page> = (cursor: string | null, signal: AbortSignal) => Promise<Page>;

export function pagedList<Page extends ListPage>(queryKey: QueryKey, fetchPage: FetchPage<Page>) {
  const options = infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });
  return { ...options, fetchPage };
}

/** Rows, and whether they are all rows of the list. */
export type AllRows<Row> = { rows: Row[]; isWhole: boolean };

async function fetchRows<Page extends ListPage>(
  fetchPage: FetchPage<Page>,
  signal: AbortSignal,
): Promise<AllRows<Page['items'][number]>> {
  const rows: Page['items'][number][] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await fetchPage(cursor, signal);
    rows.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < MAX_ROWS);
  return { rows, isWhole: cursor === null };
}

type Wanted<Page extends ListPage> = {
  /** An order other than the server's, for which all rows are fetched. */
  sort?: string | undefined;
  /** After how many milliseconds these rows are fetched again; false for never. */
  pollAfterMs?: (rows: Page['items'][number][]) => number | false;
};

/** Returns the rows of a list, and a function that fetches all of them. */
export function usePagedList<Page extends ListPage>(
  list: ReturnType<typeof pagedList<Page>>,
  { sort, pollAfterMs }: Wanted<Page> = {},
) {
  type Row = Page['items'][number];
  const client = useQueryClient();
  const query = useInfiniteQuery({
    ...list,
    refetchInterval: ({ state }) =>
      pollAfterMs?.(state.data?.pages.flatMap(({ items }) => items) ?? []) ?? false,
  });
  const loaded: Row[] = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const { hasNextPage } = query;
  const whole = {
    queryKey: [...list.queryKey, 'all'],
    queryFn: ({ signal }: { signal: AbortSignal }) => fetchRows(list.fetchPage, signal),
  };
  const sorted = useQuery({ ...whole, enabled: sort !== undefined && hasNextPage });
  const all = sort !== undefined && hasNextPage ? sorted.data : undefined;
  const allRows = async (): Promise<AllRows<Row>> =>
    hasNextPage ? client.query(whole) : { rows: loaded, isWhole: true };
  return {
    query,
    rows: all?.rows ?? loaded,
    allRows,
    /** Whether the rows that are shown are all that match, or as many as can be sorted. */
    isWhole: all ? true : !hasNextPage,
    isCut: all?.isWhole === false,
    error: query.error ?? sorted.error,
  };
}

export type ShownList<Row> = Pick<
  ReturnType<typeof usePagedList<ListPage>>,
  'isWhole' | 'isCut' | 'error'
> & {
  rows: Row[];
  allRows: () => Promise<AllRows<Row>>;
  query: Pick<
    ReturnType<typeof usePagedList<ListPage>>['query'],
    'isPending' | 'isFetchingNextPage' | 'refetch' | 'fetchNextPage'
  > & { data?: unknown };
};
