/** The label filter of a view: one chip for each label, and a form with the share of each value. */
import { Button, MultiSelect, Popover, Select } from '@mantine/core';
import { useState } from 'react';
import type { LabelKey, LabelMatcher } from '../../../api';
import { formatShare } from '../../../engine/format/format';
import { groupLabels, labelsText } from './profile-wording';
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
    <div className={classes.filters}>
      {groupLabels(labels).map((group) => (
        <span key={group.key} className={classes.chip}>
          <bdi className="cut">{labelsText(group)}</bdi>
          <button
            type="button"
            aria-label={`Remove the filter ${labelsText(group)}`}
            onClick={() => onLabels(labels.filter(({ key }) => key !== group.key))}
          >
            ×
          </button>
        </span>
      ))}
      {keys.length > 0 && <ChooseLabels keys={keys} labels={labels} onLabels={onLabels} />}
    </div>
  );
}

/** The option for samples without the label. No label value starts with this character. */
const WITHOUT = '\u0000without';

const choicesOf = (key: LabelKey) => [
  ...key.values.map(({ value, share }) => ({
    value,
    label: `${value} (${formatShare(share)})`,
  })),
  ...(key.without_share > 0
    ? [{ value: WITHOUT, label: `no value (${formatShare(key.without_share)})` }]
    : []),
];

function ChooseLabels({ keys, labels, onLabels }: FiltersProps) {
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState('');
  const key = keys.find((each) => each.key === chosen) ?? keys[0]!;
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-start"
      width={320}
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
          <ChooseValues
            key={key.key}
            labelKey={key}
            labels={labels}
            onLabels={(next) => {
              setOpen(false);
              onLabels(next);
            }}
          />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

type ValuesProps = {
  labelKey: LabelKey;
  labels: LabelMatcher[];
  onLabels: (labels: LabelMatcher[]) => void;
};

/** A form for the values of one label. Samples match if they have any of the values. */
function ChooseValues({ labelKey, labels, onLabels }: ValuesProps) {
  const { key, other_values: others } = labelKey;
  const rest = labels.filter((label) => label.key !== key);
  const [values, setValues] = useState(() =>
    labels.filter((label) => label.key === key).map(({ value }) => value ?? WITHOUT),
  );
  return (
    <>
      <MultiSelect
        label="Values"
        placeholder={values.length === 0 ? 'Choose one or more' : ''}
        searchable
        limit={100}
        maxValues={MOST_LABELS - rest.length}
        data={choicesOf(labelKey)}
        value={values}
        onChange={setValues}
        comboboxProps={{ withinPortal: false }}
      />
      {others > 0 && <p className="muted">{others} smaller values are not listed.</p>}
      <Button
        variant="filled"
        onClick={() =>
          onLabels([
            ...rest,
            ...values.map((value) => ({ key, value: value === WITHOUT ? null : value })),
          ])
        }
      >
        Apply
      </Button>
    </>
  );
}
