import type { ComparisonPreview } from '../../../api';
import { CaveatIcon, HelpLink, countOf } from '../../../ui';
import { splitCaveats } from '../comparisons';
import classes from './compare.module.css';

/**
 * Shows all differences between the sides, and what they mean for a result, before anything is
 * computed.
 */
export function PreviewCaveats({ caveats }: Pick<ComparisonPreview, 'caveats'>) {
  if (caveats.length === 0) return null;
  return (
    <section className={classes.caveats} aria-label="Caveats">
      <span className={classes.caveatCount}>
        <CaveatIcon />
        <b>{countOf(caveats.length, 'caveat')}</b>
      </span>
      {caveats.map(({ id, sentence }, index) => {
        const [what, meaning] = splitCaveats(sentence);
        return (
          <span key={`${id} ${index}`}>
            {what} {meaning && <span className="muted">{meaning}</span>}
          </span>
        );
      })}
      <span className="grow" />
      <HelpLink topic="caveats" />
    </section>
  );
}
