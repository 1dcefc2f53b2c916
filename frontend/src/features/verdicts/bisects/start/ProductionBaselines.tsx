/** The production baselines of both ends, and whether the bisect uses them. */
import { Checkbox } from '@mantine/core';
import type { BisectProposalOut, BisectSettings } from '../../../../api';
import { formatValue } from '../../../../engine/format/format';
import { SideMark, Timestamp, countOf } from '../../../../ui';
import classes from '../shared/bisects.module.css';

type Known = NonNullable<BisectProposalOut['signatures'][number]['production_baselines']>;
type Props = {
  known: Known;
  value: BisectSettings;
  onChange: (value: BisectSettings) => void;
};

export function ProductionBaselines({ known, value, onChange }: Props) {
  return (
    <div>
      <Checkbox
        label="Start from production measurements of the good and bad commits"
        description="Saves about three deployments if the runner deploys under the same conditions. Otherwise both boundaries are deployed."
        checked={value.use_production_baselines ?? false}
        onChange={(event) =>
          onChange({ ...value, use_production_baselines: event.currentTarget.checked })
        }
      />
      <p className={classes.baselines}>
        <End side="base" word="good" end={known.good} unit={known.unit} />
        <End side="candidate" word="bad" end={known.bad} unit={known.unit} />
        {known.conditions !== '' && <span className="muted">{known.conditions}</span>}
      </p>
    </div>
  );
}

type EndProps = { side: 'base' | 'candidate'; word: string; end: Known['good']; unit: string };

function End({ side, word, end, unit }: EndProps) {
  return (
    <span>
      <SideMark side={side} /> <span className="muted">{word}</span> {formatValue(end.value, unit)}
      {end.error !== null && ` ± ${formatValue(end.error, unit)}`}{' '}
      <span className="muted">
        in {countOf(end.files, 'artifact')}, <Timestamp at={end.last_at} />
      </span>
    </span>
  );
}
