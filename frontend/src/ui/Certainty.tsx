import { certaintyWord } from '../lib/certainty';
import { Term } from './Terms';

type CertaintyProps = {
  low: number;
  high: number;
  /** The interval as the page writes it. */
  text: string;
};

/** How certain a ratio is, in a word; its interval on hover and where the word opens. */
export function Certainty({ low, high, text }: CertaintyProps) {
  return (
    <Term name="confidence interval" detail={`95% interval ${text}`}>
      {certaintyWord(low, high)}
    </Term>
  );
}
