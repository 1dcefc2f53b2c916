/** Shows why there are no metrics, and the configuration that sends some. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { tokenPlaceholder } from '../../../lib/token-placeholder';
import { EmptyState, ErrorState, Section, Timestamp } from '../../../ui';
import { CodeSnippet } from './CodeSnippet';
import classes from './dashboard.module.css';
import { createUploadToken } from './dashboard-queries';

type SendProps = {
  environment: string;
  team: { id: string; mayManage: boolean };
  settingsLink: (tab: 'metrics' | 'tokens', words: string) => ReactNode;
};
type EmptyProps = SendProps & { empty: NonNullable<Dashboard['empty']>; onRange: () => void };

export function EmptyDashboard({ empty, onRange, ...send }: EmptyProps) {
  const { code, reason, newest_ms } = empty;
  const action =
    code === 'nothing-in-range' ? (
      <Button onClick={onRange}>Show 7 days</Button>
    ) : code === 'not-recognised' ? (
      send.settingsLink('metrics', 'Show metric classification')
    ) : undefined;
  return (
    <>
      <div className={classes.inset}>
        <EmptyState action={action} help="metrics">
          {reason}
          {newest_ms !== null && newest_ms !== undefined && (
            <>
              {' '}
              The newest sample is from <Timestamp at={new Date(newest_ms).toISOString()} exact />.
            </>
          )}
        </EmptyState>
      </div>
      {code !== 'nothing-in-range' && <HowToSend {...send} />}
    </>
  );
}

const TOKEN = '$SLOWPATH_TOKEN';

function prometheusSnippet(origin: string, token: string): string {
  return `remote_write:
  - url: ${origin}/api/v1/metrics/write
    send_native_histograms: true
    authorization:
      credentials: ${token}`;
}

function otelSnippet(origin: string, token: string, environment: string): string {
  return `OTEL_METRICS_EXPORTER=otlp
OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=${origin}/v1/metrics
OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/protobuf
OTEL_EXPORTER_OTLP_METRICS_HEADERS="Authorization=Bearer%20${token}"
OTEL_METRIC_EXPORT_INTERVAL=15000
OTEL_RESOURCE_ATTRIBUTES="service.name=ingester,service.version=$COMMIT,deployment.environment.name=${environment}"`;
}

export function HowToSend({ environment, team, settingsLink }: SendProps) {
  const make = useMutation({ mutationFn: () => createUploadToken(team.id) });
  const token = make.data?.secret ?? TOKEN;
  const { origin } = window.location;
  return (
    <Section
      title="Send metrics to Slowpath"
      aside="From Prometheus or any OpenTelemetry SDK, without new instrumentation"
    >
      <div className={classes.stack}>
        {make.error && <ErrorState compact what="Could not create a token" error={make.error} />}
        {make.data ? (
          <p>
            <b>Copy it now.</b> The token in this snippet can only upload. It is shown once.
          </p>
        ) : (
          <div className={classes.buttons}>
            {team.mayManage && (
              <Button loading={make.isPending} onClick={() => make.mutate()}>
                Create a token for this snippet
              </Button>
            )}
            <p className="muted">
              {team.mayManage ? 'or use one of your ' : 'Use one of your '}
              {settingsLink('tokens', 'API tokens')} with the upload scope
            </p>
          </div>
        )}
        <CodeSnippet
          title="prometheus.yml"
          text={prometheusSnippet(origin, make.data?.secret ?? tokenPlaceholder('upload'))}
        />
        <CodeSnippet
          title="Environment of a service with OpenTelemetry"
          text={otelSnippet(origin, token, environment)}
        />
      </div>
    </Section>
  );
}
