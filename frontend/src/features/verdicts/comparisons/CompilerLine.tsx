/** What the compiler did that explains a finding, below its row. */
import type { CompilerFinding } from '../../../api';
import { FindingText } from './FindingText';
import classes from './Findings.module.css';
import { shortName, withNames } from './comparison-wording';
import { gradeText } from './compiler-wording';

export function CompilerLine({ statement }: { statement: CompilerFinding | undefined }) {
  if (!statement) return null;
  const names = [statement.function, statement.callee ?? statement.function].map(shortName);
  return (
    <p className={classes.compiler}>
      <b>Compiler</b> <span className="muted">· {gradeText(statement)}</span>{' '}
      <FindingText parts={withNames(statement.sentence, names)} />
    </p>
  );
}
