/** Turns the measurement of pull requests on, with its budget. */
import { Button, Checkbox, NumberInput, TagsInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PullRequestRules } from '../../../api';
import { ErrorState } from '../../../ui';
import { LabelsField } from './LabelsField';
import classes from './bisects.module.css';
import { pullRequestRulesQuery, setPullRequestRules } from './commit-comparison-queries';

const MINUTES_A_DAY = 1440;
const PERCENT = 100;

type Props = { serviceId: string; stored: PullRequestRules };
type Change = (part: Partial<PullRequestRules>) => void;

export function PullRequestRulesForm({ serviceId, stored }: Props) {
  const client = useQueryClient();
  const [rules, setRules] = useState(stored);
  const change: Change = (part) => setRules({ ...rules, ...part });
  const save = useMutation({
    mutationFn: () => setPullRequestRules(serviceId, rules),
    onSuccess: () =>
      client.invalidateQueries({ queryKey: pullRequestRulesQuery(serviceId).queryKey }),
  });
  return (
    <div className={classes.choices}>
      <Checkbox
        label="Measure pull requests"
        description="A runner builds and runs their code. Pull requests of forks are never measured."
        checked={rules.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
      {rules.enabled && <RulesFields rules={rules} change={change} />}
      {save.error && <ErrorState compact what="Could not save the rules" error={save.error} />}
      <div>
        <Button disabled={rules === stored} loading={save.isPending} onClick={() => save.mutate()}>
          Save
        </Button>
      </div>
    </div>
  );
}

function RulesFields({ rules, change }: { rules: PullRequestRules; change: Change }) {
  return (
    <>
      <TagsInput
        label="Base branches"
        description="Empty for the default branch"
        value={rules.base_branches ?? []}
        maxTags={20}
        onChange={(base_branches) => change({ base_branches })}
      />
      <LabelsField
        value={rules.runner_labels ?? {}}
        onChange={(runner_labels) => change({ runner_labels })}
      />
      <Amount
        label="Minutes per day, at most"
        value={rules.minutes_per_day ?? 0}
        max={MINUTES_A_DAY}
        onChange={(minutes_per_day) => change({ minutes_per_day })}
      />
      <Amount
        label="Minutes per pull request, at most"
        value={rules.minutes_per_pull_request ?? 0}
        max={MINUTES_A_DAY}
        onChange={(minutes_per_pull_request) => change({ minutes_per_pull_request })}
      />
      <Amount
        label="Increase that matters, in percent"
        value={Math.round((rules.smallest_change ?? 0) * PERCENT)}
        max={1000}
        onChange={(percent) => change({ smallest_change: percent / PERCENT })}
      />
    </>
  );
}

type AmountProps = {
  label: string;
  value: number;
  max: number;
  onChange: (value: number) => void;
};

function Amount({ label, value, max, onChange }: AmountProps) {
  return (
    <NumberInput
      label={label}
      min={1}
      max={max}
      allowDecimal={false}
      w={240}
      value={value}
      onChange={(given) => {
        if (given !== '') onChange(Number(given));
      }}
    />
  );
}
