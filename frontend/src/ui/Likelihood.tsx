import { likelihoodWords } from '../lib/certainty';
import { Term } from './Terms';

type LikelihoodProps = {
  /** Between 0 and 1. */
  probability: number;
  /** The formatted probability. */
  text: string;
};

/** Shows a probability in words. Its number is the tooltip and part of the popover. */
export function Likelihood({ probability, text }: LikelihoodProps) {
  return (
    <Term name="posterior probability" detail={text}>
      {likelihoodWords(probability)}
    </Term>
  );
}
