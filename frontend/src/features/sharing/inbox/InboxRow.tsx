/** One item in two lines; on a narrow screen a card with the most common actions. */
import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InboxItem } from '../../../api';
import { Sparkline } from '../../../charts';
import { IdentifierText, StateIcon, Timestamp, useIsSnapshot } from '../../../ui';
import { Certainty } from '../../../ui/Certainty';
import { shortCommit } from '../../../lib/commits';
import { Assignee } from './Assignee';
import { SeverityBars } from './SeverityBars';
import classes from './inbox.module.css';
import {
  changeRangeText,
  changeText,
  detailText,
  itemKey,
  stateLabel,
  titleText,
  toneOf,
} from './inbox-wording';

export type ItemLink = (item: InboxItem, words: ReactNode) => ReactNode;

type InboxRowProps = {
  item: InboxItem;
  /** Whether the shortcuts apply to this item. */
  isCurrent: boolean;
  isSelected: boolean;
  mayWrite: boolean;
  isShown: (column: string) => boolean;
  onFocus: () => void;
  onSelect: () => void;
  link: ItemLink;
  /** The actions of the card while the item is the current one. */
  cardActions: ReactNode;
};

export function InboxRow(props: InboxRowProps) {
  const { item, isCurrent, isSelected, mayWrite, isShown, onFocus, onSelect, link } = props;
  const service = item.service?.slug ?? null;
  const [glyph, state] = stateLabel(item.state);
  // A snapshot shows the items as its author saw them; its readers have no read marks.
  const isSnapshot = useIsSnapshot();
  const isUnread = item.is_unread && !isSnapshot;
  return (
    <li
      className={classes.row}
      data-key={itemKey(item)}
      data-selected={isSelected || undefined}
      aria-current={isCurrent ? 'true' : undefined}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      onPointerDown={onFocus}
    >
      <span className={classes.check}>
        {mayWrite && (
          <Checkbox
            aria-label={`Select ${item.title}`}
            checked={isSelected}
            tabIndex={-1}
            onChange={onSelect}
          />
        )}
      </span>
      <SeverityBars item={item} />
      <span className={classes.what}>
        <span className={classes.title} data-unread={isUnread || undefined}>
          {isUnread && <span className={classes.dot} role="img" aria-label="Unread" />}
          {link(item, <IdentifierText text={titleText(item)} name={service} />)}
        </span>
        <span className={classes.second} title={detailText(item)}>
          <IdentifierText text={detailText(item)} />
        </span>
      </span>
      {isShown('since') && (
        <span className={classes.since}>
          {item.since_commit ? (
            <span className="mono">{shortCommit(item.since_commit)}</span>
          ) : (
            <span className="muted">–</span>
          )}
          <span className={classes.second}>
            {item.since_at !== null && <Timestamp at={item.since_at} />}
          </span>
        </span>
      )}
      {isShown('change') && (
        <span className={classes.change}>
          {item.change === null ? <span className="muted">–</span> : <b>{changeText(item)}</b>}
          <span className={classes.second}>
            <ItemCertainty item={item} />
          </span>
        </span>
      )}
      <span className={classes.trend}>
        {item.sparkline && (
          <Sparkline
            values={item.sparkline.values}
            stepAt={item.sparkline.step_at}
            levels={item.sparkline.levels}
            tone={toneOf(item)}
          />
        )}
      </span>
      {isShown('state') && (
        <span className={classes.state}>
          <StateIcon glyph={glyph}>{state}</StateIcon>
        </span>
      )}
      {isShown('assignee') && <Assignee item={item} />}
      {isCurrent && mayWrite && <span className={classes.cardActions}>{props.cardActions}</span>}
    </li>
  );
}

function ItemCertainty({ item }: { item: InboxItem }) {
  const { low, high } = item.change ?? { low: null, high: null };
  if (low === null || high === null) return null;
  return <Certainty low={low} high={high} text={changeRangeText(item)} />;
}
