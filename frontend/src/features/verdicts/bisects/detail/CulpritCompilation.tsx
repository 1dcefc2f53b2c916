/**
 * The differences of the compiler's decisions between the culprit of a bisect and the build before
 * it.
 */
import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Bisect } from '../../../../api';
import { Section, countOf } from '../../../../ui';
import classes from '../shared/bisects.module.css';

const SHOWN = 10;

type Props = Pick<Bisect, 'compiler'> & {
  comparisonLink: (comparison_id: string, words: ReactNode) => ReactNode;
};

export function CulpritCompilation({ compiler, comparisonLink }: Props) {
  const [isWhole, setWhole] = useState(false);
  if (!compiler) return null;
  const { state, reasons, problem, comparison_id, missing } = compiler;
  const rest = reasons.length - SHOWN;
  return (
    <Section title="Compiler" aside="the culprit against the build before it">
      {state === 'waiting' && (
        <p role="status" className="muted">
          A runner will compile both builds and state what the compiler decided differently.
        </p>
      )}
      {state === 'running' && (
        <p role="status" className="muted">
          A runner compiles both builds.
        </p>
      )}
      {state === 'failed' && (
        <p role="alert">
          <b>The builds could not be compiled.</b>{' '}
          <span className={classes.compilerProblem}>{problem}</span>
        </p>
      )}
      {state === 'done' && reasons.length === 0 && (
        <p>
          The compiler inlines the same functions, and allocates the same values on the heap. The
          cause is in what the code does.
        </p>
      )}
      <ul className={classes.compilerReasons}>
        {reasons.slice(0, isWhole ? undefined : SHOWN).map((one, index) => (
          <li key={index}>
            {one.sentence}{' '}
            <span className="mono muted">
              {one.line > 0 ? `${one.file}:${one.line}` : one.file}
            </span>
          </li>
        ))}
      </ul>
      {rest > 0 && !isWhole && (
        <Button onClick={() => setWhole(true)}>Show {countOf(rest, 'further decision')}</Button>
      )}
      {comparison_id && (
        <p>
          {comparisonLink(
            comparison_id,
            'Comparison of both builds: findings, frames, stack sizes',
          )}
        </p>
      )}
      {missing && <p className="muted">{missing}</p>}
    </Section>
  );
}
