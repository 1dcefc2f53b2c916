import { likelihoodWords } from '../lib/certainty';
import { Term } from './Terms';

type LikelihoodProps = {
  /** Between 0 and 1. */
  probability: number;
  /** The number as the page writes it. */
  text: string;
};

/** A probability in words, with its number on hover and where the words open. */
export function Likelihood({ probability, text }: LikelihoodProps) {
  return (
    <Term name="posterior probability" detail={text}>
      {likelihoodWords(probability)}
    </Term>
  );
}
