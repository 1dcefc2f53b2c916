/** The items of the inbox, by group and in the order of the URL, and the tools of their list. */
import { useDebouncedValue } from '@mantine/hooks';
import type { InboxItem } from '../../../api';
import { useListTools, usePagedList } from '../../../ui';
import { inboxQuery } from './inbox-queries';
import type { InboxSearch } from './inbox-url';
import { GROUPS, SEVERITY_LABELS, changeText, stateLabel, titleText } from './inbox-wording';

const SEARCH_AFTER_MS = 250;

const COLUMNS = [
  {
    id: 'severity',
    head: 'Severity',
    width: '92px',
    text: ({ severity }: InboxItem) => SEVERITY_LABELS[severity][1],
  },
  { id: 'item', head: 'Item', width: 'minmax(220px, 1fr)', text: titleText },
  { id: 'since', head: 'Since', width: '128px', text: ({ since_at }: InboxItem) => since_at },
  {
    id: 'change',
    head: 'Change',
    width: '92px',
    text: (item: InboxItem) => (item.change === null ? null : changeText(item)),
  },
  { id: 'trend', head: '', width: 'var(--trend)' },
  {
    id: 'state',
    head: 'State',
    width: '124px',
    text: ({ state }: InboxItem) => stateLabel(state)[1],
  },
  {
    id: 'assignee',
    head: 'Assignee',
    width: '132px',
    text: ({ assignee }: InboxItem) => assignee?.name ?? null,
  },
];

export function useInboxItems(search: InboxSearch, onSearch: (search: InboxSearch) => void) {
  const [q] = useDebouncedValue(search.q, SEARCH_AFTER_MS);
  const list = usePagedList(inboxQuery({ ...search, q }), search);
  const shown = useListTools({
    label: 'Inbox',
    columns: COLUMNS,
    rows: list.rows,
    allRows: list.allRows,
    sort: search.sort,
    onSort: (sort) => onSearch({ ...search, sort }),
    lead: '16px',
  });
  const items = GROUPS.flatMap((group) => shown.rows.filter((item) => item.group === group));
  return { list, shown, items };
}
