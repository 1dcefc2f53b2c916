/**
 * The inbox: production events, regressions, bisects, failing channels and sources that need an
 * action, in one list.
 */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { InboxItem } from '../../../api';
import {
  ErrorState,
  HiddenInSnapshot,
  MoreRows,
  PageHeader,
  SkeletonRows,
  useTitle,
} from '../../../ui';
import { CardActions } from './CardActions';
import { InboxEmpty } from './InboxEmpty';
import { InboxFilters } from './InboxFilters';
import { InboxGroups } from './InboxGroups';
import { InboxHeadline } from './InboxHeadline';
import type { ItemLink } from './InboxRow';
import { InboxTabs, type InboxLink } from './InboxTabs';
import { SavedViewAction } from './SavedViewAction';
import { ShortcutsDialog } from './ShortcutsDialog';
import { TriageBar } from './TriageBar';
import classes from './inbox.module.css';
import { inboxViewsQuery } from './inbox-queries';
import { hasFilters, viewOf, type InboxSearch } from './inbox-url';
import type { Person } from './inbox-wording';
import { useInboxItems } from './use-inbox-items';
import { useInboxKeys } from './use-inbox-keys';
import { useReading } from './use-reading';
import { useTriage, type Triage } from './use-triage';

export type InboxPageProps = {
  search: InboxSearch;
  onSearch: (search: InboxSearch) => void;
  team: {
    me: string;
    mayWrite: boolean;
    people: Person[];
    services: { id: string; name: string }[];
  };
  Link: InboxLink;
  link: ItemLink;
  onOpen: (item: InboxItem) => void;
  /** Actions right of the headline. */
  actions: ReactNode;
};

export default function InboxPage(props: InboxPageProps) {
  const { search, onSearch, team, Link, link, onOpen, actions } = props;
  const { people, me, mayWrite } = team;
  const { list, shown, items } = useInboxItems(search, onSearch);
  const views = useQuery(inboxViewsQuery).data?.items ?? [];
  const first = list.query.data?.pages[0];
  const saved = useTriage(people);
  const reading = useReading();
  const keys = useInboxKeys({
    items,
    mayWrite,
    onOpen,
    onRead: reading.toggle,
    onUndo: saved.undo,
  });
  const triage: Triage = {
    ...saved,
    act: (targets, action) => saved.act(targets, action, keys.clear),
  };
  const counts = first?.counts ?? null;
  useTitle(counts?.unread ? `Inbox (${counts.unread})` : 'Inbox');
  const { opened } = keys;
  const isWhole = viewOf(search) === 'needs-action' && !hasFilters(search);
  return (
    <>
      <PageHeader
        title={
          first ? <InboxHeadline counts={first.counts} open={isWhole ? items : []} /> : 'Inbox'
        }
        sub={search.sort ? undefined : 'Sorted by severity: requests per second × added time.'}
        actions={actions}
      />
      <InboxTabs
        search={search}
        counts={counts}
        saved={views}
        Link={Link}
        action={
          <HiddenInSnapshot>
            <SavedViewAction search={search} saved={views} />
          </HiddenInSnapshot>
        }
      />
      <div className={classes.filters}>
        <InboxFilters
          {...team}
          search={search}
          onSearch={onSearch}
          tools={items.length > 0 && shown.tools}
        />
      </div>
      <div className={classes.body} data-stale={list.query.isPlaceholderData || undefined}>
        {list.error && (
          <ErrorState
            what="Could not load the inbox"
            error={list.error}
            action={<Button onClick={() => void list.query.refetch()}>Try again</Button>}
          />
        )}
        {reading.error && (
          <ErrorState compact what="Could not mark the items" error={reading.error} />
        )}
        {list.query.isPending && <SkeletonRows rows={8} height={43} />}
        {first && items.length === 0 && <InboxEmpty search={search} inbox={first} Link={Link} />}
        {items.length > 0 && (
          <InboxGroups
            items={items}
            isShown={shown.isShown}
            style={shown.style}
            keys={keys}
            mayWrite={mayWrite}
            link={link}
            cardActions={(item) => (
              <CardActions item={item} me={me} triage={triage} onOpen={onOpen} keys={keys} />
            )}
          />
        )}
        <MoreRows list={list} noun="items" />
      </div>
      {mayWrite && (
        <TriageBar
          targets={keys.targets}
          isSelection={keys.isSelection}
          opened={opened === 'help' ? null : opened}
          onOpened={keys.open}
          people={people}
          me={me}
          triage={triage}
          onRead={reading.toggle}
          onClear={() => {
            keys.clear();
            keys.open(null);
          }}
        />
      )}
      {opened === 'help' && <ShortcutsDialog onClose={() => keys.open(null)} />}
    </>
  );
}
