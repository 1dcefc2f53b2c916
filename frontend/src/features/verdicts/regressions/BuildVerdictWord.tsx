import type { Judgement } from '../../../api';
import type { TermName } from '../../../lib/glossary';
import { StateIcon } from '../../../ui';
import { Term } from '../../../ui/Terms';
import { VERDICT_LABELS } from './regression-wording';

type VerdictWordProps = {
  state: Judgement['state'];
  /** The sentence with the numbers, if it is not beside the word. */
  detail?: string;
};

/** The terms that explain verdicts with a statistical result; other states have none. */
const TERM_OF: Partial<Record<Judgement['state'], TermName>> = {
  changed: 'tentative',
  passed: 'minimum detectable change',
  inconclusive: 'inconclusive',
};

/** Shows the verdict on a build as a word, with its explanation in a popover. */
export function BuildVerdictWord({ state, detail }: VerdictWordProps) {
  const [glyph, word] = VERDICT_LABELS[state];
  const term = TERM_OF[state];
  return (
    <StateIcon glyph={glyph}>
      {term ? (
        <Term name={term} detail={detail}>
          {word}
        </Term>
      ) : (
        <span title={detail}>{word}</span>
      )}
    </StateIcon>
  );
}
