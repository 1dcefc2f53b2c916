/** The compiler's part of a comparison, beside the explanation of a finding. */
import type { CompilerFinding, CompilerSection } from '../../../api';
import { HelpLink, useIsSnapshot } from '../../../ui';
import { FindingText } from './FindingText';
import { StackDepth } from './StackDepth';
import classes from './CompilerPanel.module.css';
import { withNames } from './comparison-wording';
import { differenceText, gradeText, namesIn, statementsFor } from './compiler-wording';

type CompilerPanelProps = {
  section: CompilerSection;
  finding: number;
  onAssembly: (functionName: string) => void;
};

export function CompilerPanel({ section, finding, onAssembly }: CompilerPanelProps) {
  const statements = statementsFor(section, finding);
  const crossing = statements.find(({ path }) => path !== null);
  const path = section.paths[crossing?.path ?? -1];
  return (
    <section className={classes.section} aria-label="Compiler">
      <h3>Compiler</h3>
      {section.differences.map((difference) => (
        <p key={difference.setting}>{differenceText(difference)}</p>
      ))}
      {crossing && path && crossing.edge_bytes !== null && (
        <StackDepth path={path} edge={crossing.edge_bytes} />
      )}
      <ul>
        {statements.map((statement, index) => (
          <Statement key={index} section={section} statement={statement} onAssembly={onAssembly} />
        ))}
      </ul>
      {statements.length === 0 && (
        <p className="muted">No difference in the functions on these stacks.</p>
      )}
      {crossing?.advice && (
        <p>
          <FindingText parts={withNames(crossing.advice, namesIn(section, crossing))} />
        </p>
      )}
      <HelpLink topic="compiler" />
    </section>
  );
}

type StatementProps = {
  section: CompilerSection;
  statement: CompilerFinding;
  onAssembly: (functionName: string) => void;
};

function Statement({ section, statement, onAssembly }: StatementProps) {
  const isSnapshot = useIsSnapshot();
  const { file, line, sentence } = statement;
  return (
    <li>
      <FindingText parts={withNames(sentence, namesIn(section, statement))} />{' '}
      <span className="muted">
        {gradeText(statement)}
        {statement.is_cause && ', cause'}
        {file && line !== null && ` · ${file}:${line}`}
      </span>
      {!isSnapshot && (
        <>
          {' '}
          <button
            type="button"
            className="link"
            title={`Assembly of ${statement.function}`}
            onClick={() => onAssembly(statement.function)}
          >
            Assembly
          </button>
        </>
      )}
    </li>
  );
}
