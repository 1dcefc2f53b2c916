/** Whether and when confirmed regressions of a service start a bisect by themselves. */
import { Button, Checkbox, NumberInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AutomaticBisectRules } from '../../../api';
import { ErrorState, Section, SkeletonRows, countOf } from '../../../ui';
import { LabelsField } from './LabelsField';
import { Hours } from './SettingsFields';
import { automaticBisectsQuery, setAutomaticBisects } from './bisect-queries';
import { MAX_DEPLOYMENTS, validateSettings } from './bisect-settings';
import classes from './bisects.module.css';

export type AutomaticBisectsProps = { serviceId: string; mayManage: boolean };

export default function AutomaticBisects({ serviceId, mayManage }: AutomaticBisectsProps) {
  const rules = useQuery(automaticBisectsQuery(serviceId));
  return (
    <Section title="Automatic bisects" aside="for regressions that are confirmed from now on">
      {rules.error && <ErrorState what="Could not load the rules" error={rules.error} />}
      {rules.isPending && <SkeletonRows rows={2} />}
      {rules.data &&
        (mayManage ? (
          <RulesForm key={JSON.stringify(rules.data)} serviceId={serviceId} stored={rules.data} />
        ) : (
          <p>{rulesText(rules.data)}</p>
        ))}
    </Section>
  );
}

/** "On: at most 30 deployments a day, each round needs approval." */
export function rulesText(rules: AutomaticBisectRules): string {
  if (!rules.enabled) return 'Off. An admin can turn them on.';
  const parts = [
    `at most ${countOf(rules.deployments_per_day ?? 0, 'deployment')} a day`,
    rules.needs_approval && 'each round needs approval',
    rules.deployment_hours && `from ${rules.deployment_hours.from} to ${rules.deployment_hours.to}`,
  ];
  return `On: ${parts.filter(Boolean).join(', ')}.`;
}

function RulesForm({ serviceId, stored }: { serviceId: string; stored: AutomaticBisectRules }) {
  const client = useQueryClient();
  const [rules, setRules] = useState(stored);
  const change = (part: Partial<AutomaticBisectRules>) => setRules({ ...rules, ...part });
  const save = useMutation({
    mutationFn: () => setAutomaticBisects(serviceId, rules),
    onSuccess: () => client.invalidateQueries({ queryKey: ['bisect', 'automatic', serviceId] }),
  });
  const invalid = validateSettings({ deployment_hours: rules.deployment_hours });
  return (
    <div className={classes.choices}>
      <Checkbox
        label="Start a bisect for each confirmed regression"
        description="It ends when the regression is closed. A regression that has a bisect starts no other."
        checked={rules.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
      {rules.enabled && (
        <>
          <NumberInput
            label="Deployments per day, at most"
            min={1}
            max={MAX_DEPLOYMENTS}
            allowDecimal={false}
            w={200}
            value={rules.deployments_per_day}
            onChange={(given) => {
              if (given !== '') change({ deployments_per_day: Number(given) });
            }}
          />
          <Checkbox
            label="Require approval for each round"
            checked={rules.needs_approval ?? true}
            onChange={(event) => change({ needs_approval: event.currentTarget.checked })}
          />
          <Hours value={rules} onChange={change} />
          <LabelsField
            value={rules.runner_labels ?? {}}
            onChange={(runner_labels) => change({ runner_labels })}
          />
        </>
      )}
      {save.error && <ErrorState compact what="Could not save the rules" error={save.error} />}
      <div>
        <Button
          disabled={rules === stored || invalid !== undefined}
          title={invalid}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          Save
        </Button>
      </div>
    </div>
  );
}
