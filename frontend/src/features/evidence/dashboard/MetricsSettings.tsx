/** Which metrics of a team are classified and why others are not; rules, retention, setup. */
import { Button, NumberInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ErrorState, Section, countOf, countText } from '../../../ui';
import { HowToSend } from './EmptyDashboard';
import { MetricRules } from './MetricRules';
import { MetricNamesTable } from './MetricNamesTable';
import classes from './dashboard.module.css';
import { updateRetention, metricSettingsQuery, metricNamesQuery } from './metrics-queries';

export type MetricsSettingsProps = {
  team: { id: string; mayWrite: boolean; mayManage: boolean };
  settingsLink: (tab: 'metrics' | 'tokens', words: string) => ReactNode;
  /** The section of metric sources; another feature provides it. */
  sources?: ReactNode;
};

export default function MetricsSettings(props: MetricsSettingsProps) {
  const { team, settingsLink, sources } = props;
  const recognised = useQuery(metricNamesQuery);
  const [metric, setMetric] = useState('');
  const names = recognised.data;
  return (
    <>
      <Section
        title="Metrics"
        aside={
          names &&
          `${countOf(names.items.length, 'name')}${names.has_more ? ' shown' : ''}, ${countText(names.series)} of at most ${countText(names.max_series)} series`
        }
      >
        <MetricNamesTable
          names={recognised}
          onRule={
            team.mayWrite
              ? (name) => {
                  setMetric(name);
                  document.getElementById('metric-rule')?.focus();
                }
              : undefined
          }
        />
      </Section>
      <MetricRules metric={metric} onMetric={setMetric} mayWrite={team.mayWrite} />
      {sources}
      <Retention mayManage={team.mayManage} />
      <HowToSend environment="production" team={team} settingsLink={settingsLink} />
    </>
  );
}

const DAYS_MOST = 1000;

function Retention({ mayManage }: { mayManage: boolean }) {
  const client = useQueryClient();
  const settings = useQuery(metricSettingsQuery);
  const [days, setDays] = useState<number | string | null>(null);
  const save = useMutation({
    mutationFn: updateRetention,
    onSuccess: () => client.invalidateQueries({ queryKey: ['metrics', 'settings'] }),
  });
  const kept = settings.data?.retention_days;
  const error = settings.error ?? save.error;
  return (
    <Section title="Retention" aside="older samples are deleted within a few hours">
      {error && <ErrorState error={error} />}
      {kept !== undefined && (
        <form
          className={classes.ruleForm}
          onSubmit={(event) => {
            event.preventDefault();
            if (typeof days === 'number') save.mutate(days);
          }}
        >
          <NumberInput
            label="Days"
            w={90}
            min={1}
            max={DAYS_MOST}
            disabled={!mayManage}
            value={days ?? kept}
            onChange={setDays}
          />
          <Button
            type="submit"
            loading={save.isPending}
            disabled={!mayManage || typeof days !== 'number' || days === kept}
            title={mayManage ? undefined : 'Only admins can change retention'}
          >
            Save
          </Button>
          {typeof days === 'number' && days < kept && (
            <span className="muted">
              Samples older than {countOf(days, 'day')} will be deleted.
            </span>
          )}
        </form>
      )}
    </Section>
  );
}
