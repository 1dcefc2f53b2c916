/**
 * The panel beside the evidence: the probable cause of a finding, what usually helps, and how to
 * check the fix.
 */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Finding } from '../../../../api';
import { CopyField } from '../../../../ui';
import { serviceQuery } from '../../../inventory/catalog';
import { useCliCommand } from '../../../platform/cli';
import { FindingText } from '../shared/FindingText';
import classes from './CausePanel.module.css';
import { checkParts, collectCommand, withFlags } from '../compiler/cause-wording';
import { comparedCommitsQuery } from '../shared/comparison-queries';

type PanelProps = {
  comparisonId: string;
  finding: Finding;
  number: number;
  /** The differences of the compiler, if they are known. */
  compiler?: ReactNode;
};

export function CausePanel({ comparisonId, finding, number, compiler }: PanelProps) {
  const service = useServiceName(comparisonId);
  const command = collectCommand(finding, service, useCliCommand());
  return (
    <aside className={classes.panel} aria-label={`Cause of finding ${number}`}>
      {finding.mechanism && (
        <>
          <h3>Cause</h3>
          <p>
            <FindingText parts={withFlags(finding.mechanism)} />
          </p>
        </>
      )}
      {compiler}
      {finding.advice && (
        <>
          <h3>Suggested fix</h3>
          <p>
            <FindingText parts={withFlags(finding.advice)} />
          </p>
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

/** Returns the service of both sides; '' if there is none, or while it is loading. */
function useServiceName(comparisonId: string): string {
  const id = useQuery(comparedCommitsQuery(comparisonId)).data?.service_id;
  return useQuery({ ...serviceQuery(id ?? ''), enabled: typeof id === 'string' }).data?.name ?? '';
}
