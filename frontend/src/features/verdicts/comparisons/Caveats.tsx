import { useState } from 'react';
import type { ComparisonResult } from '../../../api';
import { formatRatio } from '../../../engine/format/format';
import { CaveatIcon, HelpLink, countOf } from '../../../ui';
import { Term } from '../../../ui/Terms';
import classes from './Caveats.module.css';
import { categoryLabel, gapLabel, waiterLabel } from './shared/comparison-wording';

/** The number of caveats shown at first; a click shows the others. The most severe come first. */
const SHOWN = 3;

/**
 * The marks that end the first half of a sentence, the most reliable first: each may also occur
 * within a half.
 */
const ENDS = ['): ', '. ', '; '];

/**
 * Splits a sentence into what differs and what that means for the verdict, which is shown muted.
 */
export function splitCaveats(sentence: string): [string, string] {
  const end = ENDS.find((mark) => sentence.includes(mark));
  if (end === undefined) return [sentence, ''];
  const cut = sentence.indexOf(end) + end.length;
  return [sentence.slice(0, cut - 1), sentence.slice(cut)];
}

/**
 * Returns the sentence of the headline if profiles decide the verdict; otherwise one on the first
 * change that traces and spans could detect.
 */
function detectableText({ headline, minimum_detectable_effects }: ComparisonResult): string {
  if (headline.minimum_detectable_effect) return headline.minimum_detectable_effect;
  const first = minimum_detectable_effects.find(
    ({ kind, ratio }) => !kind.startsWith('profile.') && ratio,
  );
  return first
    ? `Minimum detectable change of ${detectableName(first)}: ${formatRatio(first.ratio)}`
    : '';
}

function detectableName({
  kind,
  subject,
}: ComparisonResult['minimum_detectable_effects'][number]): string {
  if (kind === 'trace.sched_delay') return `the wait time of ${waiterLabel(subject)}`;
  if (kind === 'trace.waiting') return 'scheduler latency';
  if (kind === 'trace.gc') return 'garbage collection';
  if (kind === 'spans.gap') return gapLabel(subject);
  if (kind === 'metrics.latency') return `the p99 latency of ${subject}`;
  return subject === 'total' ? 'the total' : categoryLabel(subject);
}

/** Shows why the comparison may mislead, as a strip with the number of caveats. */
export function Caveats({ result }: { result: ComparisonResult }) {
  const [open, setOpen] = useState(false);
  const detectable = detectableText(result);
  const { caveats } = result;
  if (caveats.length === 0 && detectable === '') return null;
  const more = caveats.length - SHOWN;
  return (
    <section
      className={`${classes.strip} ${open ? classes.open : classes.closed}`}
      aria-label="Caveats"
    >
      {caveats.length > 0 && (
        <span className={classes.count}>
          <CaveatIcon />
          <b>{countOf(caveats.length, 'caveat')}</b>
          <button
            type="button"
            className={`link ${classes.narrow}`}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? 'hide' : 'show'}
          </button>
        </span>
      )}
      {caveats.slice(0, open ? undefined : SHOWN).map(({ id, sentence }, index) => {
        const [what, meaning] = splitCaveats(sentence);
        return (
          <span key={`${id} ${index}`} className={classes.caveat}>
            {what} {meaning && <span className="muted">{meaning}</span>}
          </span>
        );
      })}
      {more > 0 && (
        <button
          type="button"
          className={`link ${classes.wide}`}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? 'fewer' : `${more} more`}
        </button>
      )}
      <span className="grow" />
      {detectable && (
        <span className="muted">
          <Term name="minimum detectable change">{detectable}</Term>
        </span>
      )}
      <HelpLink topic={result.verdict === 'inconclusive' ? 'inconclusive' : 'caveats'} />
    </section>
  );
}
