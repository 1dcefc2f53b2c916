/** Items by group, with one row of column names above all groups. */
import type { CSSProperties, ReactNode } from 'react';
import type { InboxItem } from '../../../api';
import { InboxRow, type ItemLink } from './InboxRow';
import classes from './inbox.module.css';
import { GROUPS, GROUP_LABELS, itemKey } from './inbox-wording';
import type { InboxKeys } from './use-inbox-keys';

type GroupsProps = {
  items: readonly InboxItem[];
  isShown: (column: string) => boolean;
  style: CSSProperties;
  keys: InboxKeys;
  mayWrite: boolean;
  link: ItemLink;
  cardActions: (item: InboxItem) => ReactNode;
};

export function InboxGroups(props: GroupsProps) {
  const { items, isShown, style, keys, mayWrite, link, cardActions } = props;
  return (
    <div className={classes.list} style={style}>
      <div className={classes.head} aria-hidden>
        <span />
        <span>Severity</span>
        <span>Item</span>
        {isShown('since') && <span>Since</span>}
        {isShown('change') && <span className={classes.change}>Change</span>}
        <span className={classes.trend}>Last builds or hours</span>
        {isShown('state') && <span>State</span>}
        {isShown('assignee') && <span>Assignee</span>}
      </div>
      {GROUPS.map((group) => {
        const own = items.filter((item) => item.group === group);
        if (own.length === 0) return null;
        return (
          <section key={group} aria-label={GROUP_LABELS[group]}>
            <h2 className={classes.group}>
              {GROUP_LABELS[group]} <span>{own.length}</span>
            </h2>
            <ul>
              {own.map((item) => {
                const key = itemKey(item);
                return (
                  <InboxRow
                    key={key}
                    item={item}
                    isCurrent={key === keys.cursor}
                    isSelected={keys.selection.has(key)}
                    mayWrite={mayWrite}
                    isShown={isShown}
                    onFocus={() => keys.setCursor(key)}
                    onSelect={() => keys.toggle(key)}
                    link={link}
                    cardActions={cardActions(item)}
                  />
                );
              })}
            </ul>
          </section>
        );
      })}
    </div>
  );
}
