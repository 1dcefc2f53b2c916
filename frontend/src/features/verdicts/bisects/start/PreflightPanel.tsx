/** The checks before the first deployment: what passed and what is missing, each with its fixes. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PreflightOut } from '../../../../api';
import { CaveatIcon, Section, SkeletonRows, StateIcon, Timestamp } from '../../../../ui';
import { PreflightFixes, type FixActions } from './PreflightFixes';
import classes from './start.module.css';

type Check = PreflightOut['checks'][number];
type Props = {
  preflight: PreflightOut | undefined;
  actions: FixActions;
  onRepeat: () => void;
  /** The control that measures both ends. */
  measure: ReactNode;
  /** The form that is open below a check. */
  opened: { key: Check['key']; content: ReactNode } | null;
};

export function PreflightPanel({ preflight, actions, onRepeat, measure, opened }: Props) {
  return (
    <Section
      title="Preflight"
      aside={preflight && summaryText(preflight.checks)}
      controls={
        <>
          {measure}
          <Button variant="subtle" size="compact-xs" onClick={onRepeat}>
            Run again
          </Button>
        </>
      }
    >
      {!preflight && <SkeletonRows rows={7} label="Checking the request" />}
      <ul className={classes.checks} aria-label="Preflight checks">
        {preflight?.checks.map((check) => (
          <li key={check.key} data-state={check.state}>
            <CheckMark state={check.state} />
            <div>
              <b>{check.title}</b>
              <p className="muted">{check.detail}</p>
              <PreflightFixes check={check} actions={actions} />
              {opened?.key === check.key && opened.content}
            </div>
            <span className={classes.value}>{check.value}</span>
          </li>
        ))}
      </ul>
      {preflight?.boundary_check && <Expiry ends={preflight.boundary_check} />}
    </Section>
  );
}

/** Shows when the bisect that measured both ends is or was discarded. */
function Expiry({ ends }: { ends: NonNullable<PreflightOut['boundary_check']> }) {
  if (ends.expires_at === null) return null;
  const isPast = ends.state === 'expired';
  return (
    <p className={`${classes.note} muted`}>
      Bisect {ends.number} {isPast ? 'was' : 'is'} discarded on{' '}
      <Timestamp at={ends.expires_at} exact />
      {isPast ? '; a search uses its measurements.' : ' unless it is continued.'}
    </p>
  );
}

const GLYPHS = { ok: 'done', running: 'running', missing: 'failed' } as const;
const WORDS = { ok: 'passed', running: 'running', missing: 'missing' } as const;

function CheckMark({ state }: { state: Check['state'] }) {
  if (state === 'warning')
    return (
      <span role="img" aria-label="warning">
        <CaveatIcon />
      </span>
    );
  return (
    <span role="img" aria-label={WORDS[state]}>
      <StateIcon glyph={GLYPHS[state]}>{''}</StateIcon>
    </span>
  );
}

/** Formats the number of checks by state: "5 passed, 1 running, 1 warning". */
function summaryText(checks: readonly Pick<Check, 'state'>[]): string {
  const count = (state: Check['state']) => checks.filter((one) => one.state === state).length;
  const warnings = count('warning');
  return [
    [count('ok'), 'passed'],
    [count('running'), 'running'],
    [warnings, warnings === 1 ? 'warning' : 'warnings'],
    [count('missing'), 'missing'],
  ]
    .filter(([number]) => number !== 0)
    .map(([number, word]) => `${number} ${word}`)
    .join(', ');
}
