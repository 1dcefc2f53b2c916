/**
 * The fields for latency from the dashboard: the environment, and how requests are assigned to a
 * probe.
 */
import { Select } from '@mantine/core';
import type { BisectProposalOut, BisectSettings } from '../../../../api';
import classes from '../shared/bisects.module.css';
import { secondsText } from '../shared/bisect-wording';

type DashboardMetrics = NonNullable<BisectSettings['dashboard_selector']>;
type Match = NonNullable<DashboardMetrics['match']>;

const MATCHES: { value: Match; label: string }[] = [
  { value: 'instance', label: 'instance named by the run' },
  { value: 'version', label: 'label with the commit or the run' },
  { value: 'environment', label: 'all requests of the environment' },
];
const SIGNATURE_HINTS: Record<Match, string> = {
  instance:
    'A runner sets its run as service.instance.id in OTEL_RESOURCE_ATTRIBUTES. With Prometheus, add the label slowpath_run_id to its series.',
  version: 'Parallel deployments of one build cannot be separated.',
  environment:
    'Requires that only the probe serves requests: one deployment at a time, no control.',
};

type DashboardFieldsProps = {
  environments: BisectProposalOut['environments'];
  value: DashboardMetrics;
  seconds: number;
  /** How long windows must be for the request rate; null: unknown. */
  advised: number | null;
  onChange: (value: DashboardMetrics) => void;
};

export function DashboardFields({
  environments,
  value,
  seconds,
  advised,
  onChange,
}: DashboardFieldsProps) {
  const match = value.match ?? 'instance';
  return (
    <div>
      <div className={classes.fields}>
        <Select
          label="Environment"
          w={220}
          allowDeselect={false}
          data={environments.map(({ id, name }) => ({ value: id, label: name }))}
          value={value.environment_id}
          onChange={(environment_id) => {
            if (environment_id) onChange({ ...value, environment_id });
          }}
        />
        <Select
          label="Identify probe metrics by"
          w={290}
          allowDeselect={false}
          data={MATCHES}
          value={match}
          onChange={(next) => {
            const known = MATCHES.find((one) => one.value === next);
            if (known) onChange({ ...value, match: known.value });
          }}
        />
      </div>
      <p className={classes.advice}>
        {SIGNATURE_HINTS[match]} Measurement windows of {secondsText(seconds)}
        {advised === null
          ? '; the request rate is unknown, and windows are extended if it is too low.'
          : ', based on the current request rate.'}
      </p>
    </div>
  );
}
