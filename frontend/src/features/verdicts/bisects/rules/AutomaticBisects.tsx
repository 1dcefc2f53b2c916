/** The rules that decide whether and when a confirmed regression of a service starts a bisect. */
import { Checkbox } from '@mantine/core';
import type { AutomaticBisectRules } from '../../../../api';
import { countOf } from '../../../../ui';
import { Amount, ServiceRules, type RulesKind } from './ServiceRules';
import { Hours } from '../shared/SettingsFields';
import { automaticBisectsQuery, setAutomaticBisects } from '../shared/bisect-queries';
import { MAX_DEPLOYMENTS, validateSettings } from '../shared/bisect-settings';

export type AutomaticBisectsProps = { serviceId: string; mayManage: boolean };

export default function AutomaticBisects({ serviceId, mayManage }: AutomaticBisectsProps) {
  return (
    <ServiceRules
      serviceId={serviceId}
      mayManage={mayManage}
      kind={AUTOMATIC}
      query={automaticBisectsQuery(serviceId)}
      title="Automatic bisects"
      aside="for regressions that are confirmed from now on"
    />
  );
}

/** Formats the rules: "On: at most 30 deployments a day, each round needs approval." */
function rulesText(rules: AutomaticBisectRules): string {
  if (!rules.enabled) return 'Off. An admin can turn them on.';
  const parts = [
    `at most ${countOf(rules.deployments_per_day ?? 0, 'deployment')} a day`,
    rules.needs_approval && 'each round needs approval',
    rules.deployment_hours && `from ${rules.deployment_hours.from} to ${rules.deployment_hours.to}`,
  ];
  return `On: ${parts.filter(Boolean).join(', ')}.`;
}

const AUTOMATIC: RulesKind<AutomaticBisectRules> = {
  label: 'Start a bisect for each confirmed regression',
  description:
    'It ends when the regression is closed. A regression that has a bisect starts no other.',
  text: rulesText,
  save: setAutomaticBisects,
  validate: ({ deployment_hours }) => validateSettings({ deployment_hours }),
  fields: (rules, change) => (
    <>
      <Amount
        label="Deployments per day, at most"
        max={MAX_DEPLOYMENTS}
        value={rules.deployments_per_day}
        onChange={(deployments_per_day) => change({ deployments_per_day })}
      />
      <Checkbox
        label="Require approval for each round"
        checked={rules.needs_approval ?? true}
        onChange={(event) => change({ needs_approval: event.currentTarget.checked })}
      />
      <Hours value={rules} onChange={change} />
    </>
  ),
};
