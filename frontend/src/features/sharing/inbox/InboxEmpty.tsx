import type { InboxOut } from '../../../api';
import { EmptyState, countOf } from '../../../ui';
import type { InboxLink } from './InboxTabs';
import { hasFilters, viewOf, type InboxSearch, type View } from './inbox-url';

const EMPTY: Record<View, string> = {
  'needs-action': 'No open items.',
  mine: 'No open item is assigned to you.',
  production: 'No open production event.',
  regressions: 'No open regression. Upload the profiles of every build from CI to detect them.',
  snoozed: 'No item is snoozed.',
  closed: 'No item was closed.',
};

type EmptyProps = { search: InboxSearch; inbox: Pick<InboxOut, 'counts'>; Link: InboxLink };

/** The message of an empty list, with a link to remove the filters or to show the closed items. */
export function InboxEmpty({ search, inbox: { counts }, Link }: EmptyProps) {
  const view = viewOf(search);
  if (hasFilters(search))
    return (
      <EmptyState
        action={
          <Link search={{ view }} className="link">
            Remove all filters
          </Link>
        }
      >
        No items match these filters.
      </EmptyState>
    );
  const closed =
    view === 'closed' || counts.closed === 0 ? undefined : (
      <Link search={{ view: 'closed' }} className="link">
        Show {countOf(counts.closed, 'closed item')}
      </Link>
    );
  return (
    <EmptyState help="inbox" action={closed}>
      {EMPTY[view]}
    </EmptyState>
  );
}
