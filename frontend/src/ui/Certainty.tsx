import { certaintyWord } from '../lib/certainty';
import { Term } from './Terms';

type CertaintyProps = {
  low: number;
  high: number;
  /** The formatted interval. */
  text: string;
};

/** Shows in a word how certain a ratio is. Its interval is the tooltip and part of the popover. */
export function Certainty({ low, high, text }: CertaintyProps) {
  return (
    <Term name="confidence interval" detail={`95% interval ${text}`}>
      {certaintyWord(low, high)}
    </Term>
  );
}
