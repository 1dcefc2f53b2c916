import type { ComparisonPreview, Conclusion } from '../../../api';
import { Section, countText } from '../../../ui';
import classes from './compare.module.css';
import { detectableText, evidenceName } from './preview-wording';

type ConclusionsProps = { preview: ComparisonPreview; isOld: boolean };

/** Shows what each kind of evidence could conclude, and what would improve it. */
export function Conclusions({ preview, isOld }: ConclusionsProps) {
  if (preview.conclusions.length === 0) return null;
  return (
    <Section
      title="What this comparison can conclude"
      aside="from the counts of both sides and the variation between artifacts of one build"
    >
      <div
        className={classes.tableBox}
        data-old={isOld || undefined}
        // The table scrolls horizontally on narrow screens, also with the keyboard.
        role="group"
        aria-label="Conclusions"
        tabIndex={0}
      >
        <table className={classes.conclusions} aria-label="What this comparison can conclude">
          <thead>
            <tr>
              <th scope="col">Evidence</th>
              <th scope="col">Base</th>
              <th scope="col">Candidate</th>
              <th scope="col">Minimum detectable change</th>
              <th scope="col">Conclusion</th>
              <th scope="col">To improve it</th>
            </tr>
          </thead>
          <tbody>
            {preview.conclusions.map((each) => (
              <Row key={each.evidence} conclusion={each} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

const STATES: Record<Conclusion['state'], string> = {
  conclusive: 'conclusive',
  tentative: 'tentative',
  'not-compared': 'not compared',
};

function Row({ conclusion }: { conclusion: Conclusion }) {
  const { evidence, state, base_count, candidate_count, sentence, improvement } = conclusion;
  const ratio = conclusion.minimum_detectable_ratio;
  const dash = <span className="muted">–</span>;
  return (
    <tr>
      <th scope="row">
        <i className={classes.state} data-state={state} aria-hidden />
        {evidenceName(evidence)}
        <span className="unseen">, {STATES[state]}</span>
      </th>
      <td>{countText(base_count)}</td>
      <td>{countText(candidate_count)}</td>
      <td>{ratio === null ? dash : detectableText(ratio)}</td>
      <td className={state === 'not-compared' ? 'muted' : undefined}>{sentence}</td>
      <td className="t2">{improvement ?? dash}</td>
    </tr>
  );
}
