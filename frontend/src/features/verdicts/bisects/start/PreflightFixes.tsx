/** What solves a check: actions of the page, and links. */
import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PreflightOut } from '../../../../api';
import classes from './start.module.css';

type Check = PreflightOut['checks'][number];
type Fix = Check['fixes'][number];
export type FixActions = {
  onFix: (check: Check['key'], fix: Fix) => void;
  /** To where repositories are set up. */
  integrations: (words: ReactNode) => ReactNode;
};

export function PreflightFixes({ check, actions }: { check: Check; actions: FixActions }) {
  // What is as it should be needs no fix beside it.
  if (check.state === 'ok' || check.fixes.length === 0) return null;
  return (
    <p className={classes.fixes}>
      {check.fixes.map((fix) =>
        fix.action === 'open-integrations' ? (
          <span key={fix.action}>{actions.integrations(fix.label)}</span>
        ) : (
          <UnstyledButton
            key={`${fix.action} ${fix.value}`}
            className="link"
            onClick={() => actions.onFix(check.key, fix)}
          >
            {fix.label}
          </UnstyledButton>
        ),
      )}
    </p>
  );
}
