/** The fixes of a check: actions of the page, and links. */
import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PreflightOut } from '../../../../api';
import classes from './start.module.css';

type Check = PreflightOut['checks'][number];
type Fix = Check['fixes'][number];
export type FixActions = {
  onFix: (check: Check['key'], fix: Fix) => void;
  /** A link to the page on which repositories are set up. */
  integrations: (words: ReactNode) => ReactNode;
};

export function PreflightFixes({ check, actions }: { check: Check; actions: FixActions }) {
  // A check that passed needs no fix.
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
