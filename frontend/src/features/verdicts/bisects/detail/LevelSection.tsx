/** The candidates of the selected level, and links to other levels and to the remaining candidates. */
import { useState, type ReactNode } from 'react';
import type { Bisect, BisectCandidate, BisectLevel } from '../../../../api';
import { HiddenInSnapshot, Section, countText } from '../../../../ui';
import { AllCandidates } from './AllCandidates';
import { Candidates } from './Candidates';
import classes from '../shared/bisects.module.css';
import { nameOf, placesOf, type SelectedCandidate } from './bisect-levels';

type Props = {
  bisect: Bisect;
  level: BisectLevel;
  candidate: BisectCandidate | undefined;
  onPick: (picked: SelectedCandidate) => void;
  commit: (repository_id: string, sha: string, words: ReactNode) => ReactNode;
};

export function LevelSection({ bisect, level, candidate, onPick, commit }: Props) {
  const [all, setAll] = useState(false);
  const shortened = level.candidates.length < level.candidate_count;
  const named = (sha: string, words: ReactNode) =>
    level.repository_id ? commit(level.repository_id, sha, words) : words;
  return (
    <Section
      title={`Candidates in ${nameOf(level)}`}
      aside={
        shortened && !all
          ? `the ${level.candidates.length} most probable of ${countText(level.candidate_count)}, newest first`
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
          {shortened && (
            <HiddenInSnapshot>
              <button
                type="button"
                className="link"
                aria-pressed={all}
                onClick={() => setAll(!all)}
              >
                All {countText(level.candidate_count)}
              </button>
            </HiddenInSnapshot>
          )}
        </span>
      }
    >
      {all && shortened ? (
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
            const index = placesOf(level)[level.candidates.indexOf(one)] ?? -1;
            if (index >= 0) onPick({ level: level.key, index });
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
              index: one.bars.posterior.indexOf(Math.max(...one.bars.posterior)),
            });
          }}
        >
          {nameOf(one)}
        </button>
      ))}
    </span>
  );
}
