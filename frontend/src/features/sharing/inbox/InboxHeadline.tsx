import type { InboxItem, InboxOut } from '../../../api';
import { IdentifierText, countOf } from '../../../ui';
import { mostSevere, titleText } from './inbox-wording';

type HeadlineProps = {
  counts: InboxOut['counts'];
  /** All open items, of which the most severe is named; empty if the list is filtered. */
  open: readonly InboxItem[];
};

/** "10 open items, 2 unassigned: distributor: p99 is 1.8 times as high since deployment a84f3c1". */
export function InboxHeadline({ counts, open }: HeadlineProps) {
  if (counts.needs_action === 0) return 'No open items';
  const first = mostSevere(open);
  return (
    <>
      {countOf(counts.needs_action, 'open item')}
      {counts.unassigned > 0 && (
        <>
          , <span className="more">{counts.unassigned} unassigned</span>
        </>
      )}
      {first && (
        <>
          . Most severe:{' '}
          <IdentifierText text={titleText(first)} name={first.service?.slug ?? null} />
        </>
      )}
    </>
  );
}
