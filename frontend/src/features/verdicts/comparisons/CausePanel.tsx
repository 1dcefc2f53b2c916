/** Why a finding probably happened, what usually helps, and how to check that it helped. Beside the evidence. */
import type { Finding } from '../../../api';
import { CopyField } from '../../../ui';
import { FindingText } from './FindingText';
import classes from './CausePanel.module.css';
import { checkParts, collectCommand } from './cause-wording';

export function CausePanel({ finding, number }: { finding: Finding; number: number }) {
  const command = collectCommand(finding);
  return (
    <aside className={classes.panel} aria-label={`Cause of finding ${number}`}>
      {finding.mechanism && (
        <>
          <h3>Cause</h3>
          <p>{finding.mechanism}</p>
        </>
      )}
      {finding.advice && (
        <>
          <h3>Suggested fix</h3>
          <p>{finding.advice}</p>
        </>
      )}
      <h3>How to check</h3>
      <p>
        <FindingText parts={checkParts(finding)} />
      </p>
      {command !== null && <CopyField label="Command" value={command} />}
    </aside>
  );
}
