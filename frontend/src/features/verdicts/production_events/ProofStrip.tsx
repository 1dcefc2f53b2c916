import type { ProductionEvent } from '../../../api';
import { StateIcon } from '../../../ui';
import classes from './events.module.css';
import { PROOF_STATES } from './event-wording';

/** Shows the conditions for the end of an event, and which of them hold. */
export function ProofStrip({ proof }: Pick<ProductionEvent, 'proof'>) {
  if (proof.length === 0) return null;
  return (
    <section className={classes.proof} aria-label="Proof">
      <h2>Proof</h2>
      <ul>
        {proof.map(({ id, sentence, state }) => {
          const [glyph, word] = PROOF_STATES[state];
          return (
            <li key={id} data-state={state}>
              <StateIcon glyph={glyph}>{sentence}</StateIcon>
              <span className="unseen">, {word}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
