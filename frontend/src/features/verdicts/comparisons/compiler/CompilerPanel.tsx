/** The compiler section of a comparison, beside the explanation of a finding. */
import { useQuery } from '@tanstack/react-query';
import type { CompilerFinding, CompilerReason, CompilerSection } from '../../../../api';
import { HelpLink, useIsSnapshot } from '../../../../ui';
import { FindingText } from '../shared/FindingText';
import { GenericInstances } from './GenericInstances';
import { StackDepth } from './StackDepth';
import classes from './CompilerPanel.module.css';
import { compilerReasonsQuery } from '../shared/comparison-queries';
import { shortName, withNames } from '../shared/comparison-wording';
import {
  addressedText,
  differenceText,
  gradeText,
  namesIn,
  otherBuildText,
  placeText,
  reasonsFor,
  statementsFor,
} from './compiler-wording';

type CompilerPanelProps = {
  comparisonId: string;
  section: CompilerSection;
  finding: number;
  onAssembly: (functionName: string) => void;
};

export function CompilerPanel(props: CompilerPanelProps) {
  const { comparisonId, section, finding, onAssembly } = props;
  const reasons = useQuery(compilerReasonsQuery(comparisonId)).data ?? [];
  const statements = statementsFor(section, finding);
  const crossing = statements.find(({ path }) => path !== null);
  const path = section.paths[crossing?.path ?? -1];
  return (
    <section className={classes.section} aria-label="Compiler">
      <h3>Compiler</h3>
      {(section.other_builds ?? []).map((side) => (
        <p key={side}>{otherBuildText(side)}</p>
      ))}
      {section.addressed && section.addressed.length > 0 && (
        <p>{addressedText(section.addressed)}</p>
      )}
      {section.differences.map((difference) => (
        <p key={difference.setting}>{differenceText(difference)}</p>
      ))}
      {section.pgo_comparison && <p>{section.pgo_comparison}</p>}
      {crossing && path && crossing.edge_bytes !== null && (
        <StackDepth path={path} edge={crossing.edge_bytes} />
      )}
      <ul>
        {statements.map((statement, index) => (
          <Statement key={index} section={section} statement={statement} onAssembly={onAssembly} />
        ))}
        {reasonsFor(statements, reasons).map((reason) => (
          <Reason key={`${reason.function} ${reason.sentence}`} reason={reason} />
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
      <GenericInstances section={section} />
      <HelpLink topic="compiler" />
    </section>
  );
}

/** Shows the reason of a decision in the words of the compiler. */
function Reason({ reason }: { reason: CompilerReason }) {
  const name = shortName(reason.function);
  return (
    <li>
      <FindingText parts={withNames(reason.sentence.replace(reason.function, name), [name])} />{' '}
      <span className="muted">compiler says · {placeText(reason)}</span>
    </li>
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
