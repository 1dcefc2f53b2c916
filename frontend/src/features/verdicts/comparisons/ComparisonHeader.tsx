import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Comparison } from '../../../api';
import { PageHeader, PersonName, SideMark, Timestamp, countOf } from '../../../ui';
import { namesCommit, shortCommit } from '../../../lib/commits';
import classes from './ComparisonHeader.module.css';
import { FindingText } from './shared/FindingText';
import { artifactNoun } from './shared/artifact-kinds';
import { exactText, sideLabel, verdictParts, type Part } from './shared/comparison-wording';

function Side({ comparison, side }: { comparison: Comparison; side: 'base' | 'candidate' }) {
  const label = sideLabel(comparison, side);
  const { artifacts, time_range } = comparison[side];
  const commit = comparison.result?.sides[side].run_metadata.commit ?? '';
  const commitText = namesCommit(label, commit) ? '' : shortCommit(commit);
  return (
    <span className={classes.side}>
      <SideMark side={side} label />
      {label !== '' && <span className="mono">{label}</span>}
      {commitText !== '' && <span className="mono">{commitText}</span>}
      <span className="muted">
        {artifacts === 0 && time_range !== null
          ? 'metrics'
          : countOf(artifacts, artifactNoun(comparison))}
      </span>
    </span>
  );
}

export function Sides({
  comparison,
  onSwap,
  swapping,
}: {
  comparison: Comparison;
  onSwap?: () => void;
  swapping?: boolean;
}) {
  return (
    <div className={classes.sides}>
      <Side comparison={comparison} side="base" />
      <span className={`muted ${classes.against}`}>vs</span>
      <Side comparison={comparison} side="candidate" />
      {onSwap && (
        <Button
          variant="subtle"
          size="compact-xs"
          className={classes.swap}
          onClick={onSwap}
          loading={swapping}
        >
          Swap sides
        </Button>
      )}
      {comparison.assignee !== null && (
        <span className="nowrap">
          assigned to <PersonName name={comparison.assignee.name ?? 'former member'} />
        </span>
      )}
      <span className="muted nowrap">
        compared <Timestamp at={comparison.created_at} />
      </span>
    </div>
  );
}

type ComparisonHeaderProps = {
  comparison: Comparison;
  title?: Part[];
  sub?: ReactNode;
  actions?: ReactNode;
  onSwap?: () => void;
  swapping?: boolean;
};

export function ComparisonHeader({
  comparison,
  title,
  sub,
  actions,
  onSwap,
  swapping,
}: ComparisonHeaderProps) {
  const { result } = comparison;
  return (
    <PageHeader
      above={<Sides comparison={comparison} onSwap={onSwap} swapping={swapping} />}
      title={<FindingText parts={title ?? (result ? verdictParts(result) : [])} />}
      sub={sub ?? (result ? exactText(result) : undefined)}
      actions={actions}
    />
  );
}
