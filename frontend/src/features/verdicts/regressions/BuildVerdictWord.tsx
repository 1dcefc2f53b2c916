import type { Judgement } from '../../../api';
import type { TermName } from '../../../lib/glossary';
import { StateIcon } from '../../../ui';
import { Term } from '../../../ui/Terms';
import { VERDICT_LABELS } from './regression-wording';

type VerdictWordProps = {
  state: Judgement['state'];
  /** The sentence with the numbers, where it is not beside the word. */
  detail?: string;
};

/** The statistics that a verdict rests on; the others are no results. */
const TERM_OF: Partial<Record<Judgement['state'], TermName>> = {
  changed: 'tentative',
  passed: 'minimum detectable change',
  inconclusive: 'inconclusive',
};

/** The verdict on a build in a word that opens its meaning. */
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
