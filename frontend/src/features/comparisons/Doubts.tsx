import type { ComparisonResult } from '../../api';
import { formatRatio } from '../../engine';
import { DoubtMark, countOf } from '../../ui';
import classes from './Doubts.module.css';
import { categoryLabel } from './wording';

/** What differs first, then in muted what it means for the verdict: the sentence's own two halves. */
function halves(sentence: string): [string, string] {
  const cut = sentence.search(/\.\s/u);
  return cut < 0 ? [sentence, ''] : [sentence.slice(0, cut + 1), sentence.slice(cut + 2)];
}

function detectableText(result: ComparisonResult): string {
  const total =
    result.detectable.find(({ subject }) => subject === 'total') ?? result.detectable[0];
  if (!total?.ratio) return '';
  const what = total.subject === 'total' ? 'the whole' : categoryLabel(total.subject);
  return `Smallest change this could detect: ${formatRatio(total.ratio)} of ${what}`;
}

/** Why the comparison may mislead: a strip, never a modal and never hidden. */
export function Doubts({ result }: { result: ComparisonResult }) {
  const detectable = detectableText(result);
  const { doubts } = result;
  if (doubts.length === 0 && detectable === '') return null;
  return (
    <section className={classes.strip} aria-label="Doubts">
      {doubts.length > 0 && (
        <span className={classes.count}>
          <DoubtMark />
          <b>{countOf(doubts.length, 'doubt')}</b>
        </span>
      )}
      {doubts.map(({ id, sentence }, index) => {
        const [what, meaning] = halves(sentence);
        return (
          <span key={`${id} ${index}`}>
            {what} {meaning && <span className="muted">{meaning}</span>}
          </span>
        );
      })}
      <span className="grow" />
      {detectable && <span className="muted">{detectable}</span>}
    </section>
  );
}
