/** Views of the inbox as links with their counts, then saved views. */
import type { ComponentType, ReactNode } from 'react';
import type { InboxCounts, InboxView } from '../../../api';
import classes from './inbox.module.css';
import {
  VIEWS,
  formatFilters,
  parseFilters,
  viewOf,
  type InboxSearch,
  type View,
} from './inbox-url';
import { VIEW_LABELS } from './inbox-wording';

export type InboxLink = ComponentType<{
  search: InboxSearch;
  className?: string;
  'aria-current'?: 'page' | undefined;
  children?: ReactNode;
}>;

type TabsProps = {
  search: InboxSearch;
  counts: InboxCounts | null;
  saved: InboxView[];
  Link: InboxLink;
  /** The button at the right that saves or deletes the view. */
  action: ReactNode;
};

const countOfView = (counts: InboxCounts, view: View): number =>
  view === 'needs-action' ? counts.needs_action : counts[view];

export function InboxTabs({ search, counts, saved, Link, action }: TabsProps) {
  const now = formatFilters(search);
  const current = saved.find(({ filters }) => formatFilters(parseFilters(filters)) === now);
  return (
    <nav className={classes.tabs} aria-label="Views">
      {VIEWS.map((view) => (
        <Link
          key={view}
          search={{ view }}
          className={classes.tab}
          aria-current={!current && viewOf(search) === view ? 'page' : undefined}
        >
          {VIEW_LABELS[view]}
          {counts && <span className={classes.count}>{countOfView(counts, view)}</span>}
        </Link>
      ))}
      {saved.map((view) => (
        <Link
          key={view.id}
          search={parseFilters(view.filters)}
          className={classes.tab}
          aria-current={view === current ? 'page' : undefined}
        >
          {view.name}
        </Link>
      ))}
      <span className="grow" />
      {action}
    </nav>
  );
}
