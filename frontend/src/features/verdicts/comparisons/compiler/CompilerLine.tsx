/** The line below a finding with the difference of the compiler that explains it. */
import type { CompilerSection } from '../../../../api';
import { FindingText } from '../shared/FindingText';
import classes from '../findings/Findings.module.css';
import { withNames } from '../shared/comparison-wording';
import { explanationOf, gradeText, namesIn } from './compiler-wording';

type LineProps = { section: CompilerSection | null | undefined; finding: number };

export function CompilerLine({ section, finding }: LineProps) {
  const statement = explanationOf(section, finding);
  if (!section || !statement) return null;
  const names = namesIn(section, statement);
  return (
    <p className={classes.compiler}>
      <b>Compiler</b> <FindingText parts={withNames(statement.sentence, names)} />{' '}
      <span className="muted">{gradeText(statement)}</span>
    </p>
  );
}
