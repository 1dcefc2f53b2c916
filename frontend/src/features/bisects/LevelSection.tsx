/** The candidates of the level that is looked at, and the way to the other levels and to those that are not told at once. */
import { useState, type ReactNode } from 'react';
import type { Bisect, BisectCandidate, BisectLevel } from '../../api';
import { LiveOnly, Section, countText } from '../../ui';
import { AllCandidates } from './AllCandidates';
import { Candidates } from './Candidates';
import classes from './bisects.module.css';
import { candidateAt, nameOf, type Picked } from './levels';

type Props = {
  bisect: Bisect;
  level: BisectLevel;
  candidate: BisectCandidate | undefined;
  onPick: (picked: Picked) => void;
  commit: (repository_id: string, sha: string, words: ReactNode) => ReactNode;
};

export function LevelSection({ bisect, level, candidate, onPick, commit }: Props) {
  const [all, setAll] = useState(false);
  const untold = level.candidates.length < level.classes;
  const named = (sha: string, words: ReactNode) =>
    level.repository_id ? commit(level.repository_id, sha, words) : words;
  return (
    <Section
      title={`Candidates in ${nameOf(level)}`}
      aside={
        untold && !all
          ? `the ${level.candidates.length} most believed of ${countText(level.classes)}, newest first`
          : 'newest first'
      }
      controls={
        <span className={classes.levels}>
          {bisect.levels.length > 1 && (
            <Levels
              bisect={bisect}
              level={level}
              onPick={(picked) => {
                setAll(false);
                onPick(picked);
              }}
            />
          )}
          {untold && (
            <LiveOnly>
              <button
                type="button"
                className="link"
                aria-pressed={all}
                onClick={() => {
                  setAll(!all);
                }}
              >
                All {countText(level.classes)}
              </button>
            </LiveOnly>
          )}
        </span>
      }
    >
      {all && untold ? (
        <AllCandidates
          key={level.key}
          bisect={bisect}
          level={level}
          chosen={candidate?.id ?? null}
          onPick={onPick}
          commit={named}
        />
      ) : (
        <Candidates
          rows={[...level.candidates].reverse()}
          chosen={candidate?.id ?? null}
          onChoose={(one) => {
            for (let index = 0; index < level.bars.belief.length; index += 1)
              if (candidateAt(level, index) === one) {
                onPick({ level: level.key, index });
                return;
              }
          }}
          commit={named}
        />
      )}
    </Section>
  );
}

function Levels({ bisect, level, onPick }: Pick<Props, 'bisect' | 'level' | 'onPick'>) {
  return (
    <span className={classes.levels} role="group" aria-label="Level">
      {bisect.levels.map((one) => (
        <button
          key={one.key}
          type="button"
          className="link"
          aria-pressed={one.key === level.key}
          onClick={() => {
            onPick({
              level: one.key,
              index: one.bars.belief.indexOf(Math.max(...one.bars.belief)),
            });
          }}
        >
          {nameOf(one)}
        </button>
      ))}
    </span>
  );
}
