/** The fields that limit deployments and set what is built. */
import { TextInput } from '@mantine/core';
import type { BisectProposalOut, BisectSettings } from '../../../../api';
import { ProductionBaselines } from './ProductionBaselines';
import { SettingsFields } from '../shared/SettingsFields';
import classes from '../shared/bisects.module.css';

type Props = {
  value: BisectSettings;
  baselines: BisectProposalOut['signatures'][number]['production_baselines'];
  onChange: (value: BisectSettings) => void;
};

export function LimitsFields({ value, baselines, onChange }: Props) {
  return (
    <div className={classes.choices}>
      <SettingsFields value={value} onChange={(next) => onChange({ ...value, ...next })} />
      {baselines && <ProductionBaselines known={baselines} value={value} onChange={onChange} />}
      <details className={classes.folded}>
        <summary>Build</summary>
        <div className={classes.fields}>
          <TextInput
            label="Main package"
            placeholder="./cmd/ingester"
            description="Commits that do not change its binary are excluded."
            maxLength={300}
            value={value.main_package ?? ''}
            onChange={(event) =>
              onChange({ ...value, main_package: event.currentTarget.value || null })
            }
          />
          <TextInput
            label="go.mod directory"
            placeholder="Repository root"
            maxLength={300}
            value={value.directory ?? ''}
            onChange={(event) => onChange({ ...value, directory: event.currentTarget.value })}
          />
        </div>
      </details>
    </div>
  );
}
