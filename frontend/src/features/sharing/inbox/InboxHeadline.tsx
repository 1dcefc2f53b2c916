import type { InboxOut } from '../../../api';
import { countOf } from '../../../ui';
import { ItemText } from './ItemText';

type HeadlineProps = { inbox: Pick<InboxOut, 'counts' | 'headline' | 'items'> };

/** "10 open items, 2 unassigned: distributor p99 adds 1.1 s of latency each second". */
export function InboxHeadline({ inbox: { counts, headline, items } }: HeadlineProps) {
  const open = counts.needs_action;
  if (open === 0) return 'No open items';
  return (
    <>
      {countOf(open, 'open item')}
      {counts.unassigned > 0 && (
        <>
          , <span className="more">{counts.unassigned} unassigned</span>
        </>
      )}
      {headline !== '' && (
        <>
          : <ItemText text={headline} service={items[0]?.service?.slug ?? null} />
        </>
      )}
    </>
  );
}
