/** The setting with the URL template of the team's dashboard in Grafana. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState, Section, SkeletonRows, onText } from '../../../ui';
import { sharingQuery, updateSharing } from '../reports';

export type GrafanaSettingsProps = { mayManage: boolean };

export default function GrafanaSettings({ mayManage }: GrafanaSettingsProps) {
  const settings = useQuery(sharingQuery);
  return (
    <Section title="Grafana" aside="links to its dashboards" narrow>
      {settings.error && (
        <ErrorState compact what="Could not load the setting" error={settings.error} />
      )}
      {settings.isPending && <SkeletonRows rows={1} />}
      {settings.data && (
        <Template
          key={settings.data.dashboard_url}
          saved={settings.data.dashboard_url}
          mayManage={mayManage}
        />
      )}
    </Section>
  );
}

function Template({ saved, mayManage }: GrafanaSettingsProps & { saved: string }) {
  const client = useQueryClient();
  const [template, setTemplate] = useState(saved);
  const save = useMutation({
    mutationFn: () => updateSharing({ dashboard_url: template.trim() }),
    onSuccess: () => client.invalidateQueries({ queryKey: sharingQuery.queryKey }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextInput
        label="URL of a dashboard"
        description="Linked from panels, services and events. Variables: {service}, {environment}, {from}, {to} (milliseconds since 1970). Empty: no links."
        placeholder="https://grafana.example.com/d/abc?var-service={service}&from={from}&to={to}"
        maxLength={2000}
        disabled={!mayManage}
        classNames={{ input: 'mono' }}
        value={template}
        onChange={onText(setTemplate)}
      />
      {save.error && <ErrorState compact what="Could not save the URL" error={save.error} />}
      <Button
        type="submit"
        mt={8}
        mb={12}
        loading={save.isPending}
        disabled={!mayManage || template.trim() === saved}
        title={mayManage ? undefined : 'Only admins and owners can change this'}
      >
        Save URL
      </Button>
    </form>
  );
}
