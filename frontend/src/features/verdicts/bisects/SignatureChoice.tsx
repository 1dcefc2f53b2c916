/** The metric that separates good from bad; of latency also where the board reads it, and whose requests they are. */
import { Radio, Select } from '@mantine/core';
import type { BisectProposalOut, BisectSettings } from '../../../api';
import classes from './bisects.module.css';
import { DEFAULT_SETTINGS } from './bisect-settings';
import { measurementText, secondsText } from './bisect-wording';

type Offered = BisectProposalOut['signatures'][number];
type DashboardMetrics = NonNullable<BisectSettings['dashboard_selector']>;
type Match = NonNullable<DashboardMetrics['match']>;

const CUSTOM = 'custom';
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

/** Settings with what a measure asks for: the board of latency, and windows as long as its traffic says. */
export function settingsFor(
  settings: BisectSettings,
  { dashboard_selector: selector }: Pick<Offered, 'dashboard_selector'>,
): BisectSettings {
  if (!selector) {
    const { measurement_seconds } = settings.dashboard_selector ? DEFAULT_SETTINGS : settings;
    return { ...settings, dashboard_selector: null, measurement_seconds };
  }
  const { environment_id, measurement_seconds } = selector;
  return {
    ...settings,
    dashboard_selector: { environment_id, match: settings.dashboard_selector?.match ?? 'instance' },
    measurement_seconds: Math.max(measurement_seconds ?? 0, settings.measurement_seconds ?? 0),
  };
}

type Props = {
  offer: BisectProposalOut;
  chosen: number;
  onChosen: (next: number) => void;
  settings: BisectSettings;
  onSettings: (next: BisectSettings) => void;
};

export function SignatureChoice({ offer, chosen, onChosen, settings, onSettings }: Props) {
  const { signatures } = offer;
  const board = signatures[chosen]?.dashboard_selector;
  return (
    <>
      <Radio.Group
        label="Metric that separates good from bad"
        value={String(chosen)}
        onChange={(next) => {
          const one = signatures[Number(next)];
          onChosen(Number(next));
          if (one) onSettings(settingsFor(settings, one));
        }}
      >
        <div className={classes.choices}>
          {signatures.map((one, index) => (
            <Radio
              key={`${one.kind} ${one.subject}`}
              value={String(index)}
              label={one.label}
              description={one.kind === CUSTOM ? one.reason : measurementText(one)}
            />
          ))}
        </div>
      </Radio.Group>
      {board && settings.dashboard_selector && (
        <DashboardFields
          environments={offer.environments}
          value={settings.dashboard_selector}
          seconds={settings.measurement_seconds ?? 0}
          advised={board.measurement_seconds}
          onChange={(next) => onSettings({ ...settings, dashboard_selector: next })}
        />
      )}
    </>
  );
}

type DashboardFieldsProps = {
  environments: BisectProposalOut['environments'];
  value: DashboardMetrics;
  seconds: number;
  /** How long windows must be by the traffic; null: unknown. */
  advised: number | null;
  onChange: (value: DashboardMetrics) => void;
};

function DashboardFields({
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
