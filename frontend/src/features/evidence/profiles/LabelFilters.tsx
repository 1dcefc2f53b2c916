/** The label filter of a view: one chip for each label, and a form that adds one with the share of each value. */
import { Button, Popover, Select } from '@mantine/core';
import { useState } from 'react';
import type { LabelKey, LabelMatcher } from '../../../api';
import { formatShare } from '../../../engine/format/format';
import { labelText } from './profile-wording';
import { MOST_LABELS } from './profile-url';
import classes from './profiles.module.css';

type FiltersProps = {
  labels: LabelMatcher[];
  /** The labels that samples have, with their values. */
  keys: readonly LabelKey[];
  onLabels: (labels: LabelMatcher[]) => void;
};

export function LabelFilters({ labels, keys, onLabels }: FiltersProps) {
  return (
    <>
      {labels.map((label) => (
        <span key={labelText(label)} className={classes.chip}>
          <bdi className="cut">{labelText(label)}</bdi>
          <button
            type="button"
            aria-label={`Remove the filter ${labelText(label)}`}
            onClick={() => onLabels(labels.filter((each) => each !== label))}
          >
            ×
          </button>
        </span>
      ))}
      {keys.length > 0 && labels.length < MOST_LABELS && (
        <AddLabelFilter
          keys={keys.filter(({ key }) => !labels.some((label) => label.key === key))}
          onAdd={(label) => onLabels([...labels, label])}
        />
      )}
    </>
  );
}

/** Instead of a value: samples without the label. No label value begins with this character. */
const WITHOUT = '\u0000without';

type AddProps = { keys: readonly LabelKey[]; onAdd: (label: LabelMatcher) => void };

function AddLabelFilter({ keys, onAdd }: AddProps) {
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState('');
  if (keys.length === 0) return null;
  const key = keys.find((each) => each.key === chosen) ?? keys[0]!;
  const values = key.values.map(({ value, share }) => ({
    value,
    label: `${value} (${formatShare(share)})`,
  }));
  if (key.without_share > 0)
    values.push({ value: WITHOUT, label: `no value (${formatShare(key.without_share)})` });
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-start"
      width={300}
      trapFocus
      withRoles
    >
      <Popover.Target>
        <Button className={classes.small} onClick={() => setOpen(!open)}>
          Add label filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.form}>
          <Select
            label="Label"
            data={keys.map((each) => each.key)}
            value={key.key}
            allowDeselect={false}
            onChange={(next) => setChosen(next ?? '')}
            comboboxProps={{ withinPortal: false }}
          />
          <Select
            key={key.key}
            label="Value"
            placeholder="Choose a value"
            searchable
            limit={100}
            data={values}
            value={null}
            onChange={(value) => {
              if (value === null) return;
              setOpen(false);
              onAdd({ key: key.key, value: value === WITHOUT ? null : value });
            }}
            comboboxProps={{ withinPortal: false }}
          />
          {key.other_values > 0 && (
            <p className="muted">{key.other_values} smaller values are not listed.</p>
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
