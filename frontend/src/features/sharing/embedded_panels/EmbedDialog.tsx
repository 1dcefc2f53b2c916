/**
 * A dialog that creates and revokes signed links, which embed a panel of a service on pages of
 * others.
 */
import { Button, Modal, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { EmbeddedPanel, EmbeddedPanelIn } from '../../../api';
import {
  CopyField,
  EmptyState,
  ErrorState,
  FormBody,
  RowAction,
  Timestamp,
  onText,
} from '../../../ui';
import { sharingQuery } from '../reports';
import {
  createEmbeddedPanel,
  embeddedPanelsQuery,
  revokeEmbeddedPanel,
} from './embedded-panel-queries';
import { EXPIRIES, PANELS, frameLine, panelText } from './embed-wording';
import classes from './embed.module.css';

export type EmbedDialogProps = {
  service: { id: string; name: string };
  environmentId: string;
  /** The time range of the dashboard: a length until now, or a fixed range. */
  range: { lengthMs: number; untilMs: number | null };
  onClose: () => void;
};

export default function EmbedDialog(props: EmbedDialogProps) {
  const { service, onClose } = props;
  const sharing = useQuery(sharingQuery);
  const [made, setMade] = useState<EmbeddedPanel | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`Embed ${service.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {sharing.error && <ErrorState compact error={sharing.error} />}
      {sharing.data?.are_links_allowed === false ? (
        <EmptyState>
          Share links are off for this team. Admins and owners can enable them in the settings.
        </EmptyState>
      ) : made ? (
        <div role="status" className={classes.made}>
          <PanelAddresses panel={made} name={service.name} />
          {sharing.data?.embedding_origins.length === 0 && (
            <p className="t2">
              No site may show the frame yet. Admins and owners name the sites in Settings, Team,
              Share links. The image needs no setting.
            </p>
          )}
          <Button onClick={() => setMade(null)}>Create another link</Button>
        </div>
      ) : (
        <NewPanel {...props} onMade={setMade} />
      )}
      <Panels service={service} />
    </Modal>
  );
}

const MINUTE_MS = 60_000;

/** The server's limits of the length of a range, in seconds. */
const LENGTH_S = { least: 300, most: 30 * 86_400 };

function NewPanel(props: EmbedDialogProps & { onMade: (made: EmbeddedPanel) => void }) {
  const { service, environmentId, range, onMade, onClose } = props;
  const client = useQueryClient();
  const [panel, setPanel] = useState<EmbeddedPanelIn['panel']>('latency');
  const [label, setLabel] = useState('');
  const [days, setDays] = useState('90');
  const length_s = Math.ceil(range.lengthMs / MINUTE_MS) * 60;
  const save = useMutation({
    mutationFn: () =>
      createEmbeddedPanel({
        service_id: service.id,
        environment_id: environmentId,
        panel,
        split_label: panel === 'latency' && label.trim() !== '' ? label.trim() : null,
        length_s: Math.max(LENGTH_S.least, length_s),
        until: range.untilMs === null ? null : new Date(range.untilMs).toISOString(),
        expires_in_days: Number(days),
      }),
    onSuccess: onMade,
    onSettled: () => client.invalidateQueries({ queryKey: ['embedded_panel'] }),
  });
  return (
    <FormBody
      what="Could not create the link"
      submit="Create link"
      save={save}
      blocked={length_s > LENGTH_S.most ? 'Choose a range of at most 30 days' : undefined}
      onCancel={onClose}
    >
      <p className="t2">
        Anyone with the link sees this one panel in the range of the dashboard, without signing in.
      </p>
      <Select
        label="Panel"
        data={PANELS}
        allowDeselect={false}
        value={panel}
        onChange={(next) => setPanel(next ?? 'latency')}
      />
      {panel === 'latency' && (
        <TextInput
          label="Split by label"
          description="One line for each of its values, for example of routes. Empty: p50, p90 and p99."
          placeholder="route"
          maxLength={200}
          value={label}
          onChange={onText(setLabel)}
        />
      )}
      <Select
        label="Expires after"
        data={EXPIRIES}
        allowDeselect={false}
        value={days}
        onChange={(next) => setDays(next ?? '90')}
      />
    </FormBody>
  );
}

function PanelAddresses({ panel, name }: { panel: EmbeddedPanel; name: string }) {
  return (
    <>
      <CopyField label="Frame, as HTML" value={frameLine(panel, name)} />
      <CopyField
        label="Image"
        description="SVG, as of the time it is opened"
        value={panel.image_url}
      />
    </>
  );
}

/** The embedded panels of this service that are not revoked. */
function Panels({ service }: Pick<EmbedDialogProps, 'service'>) {
  const client = useQueryClient();
  const panels = useQuery(embeddedPanelsQuery(service.id));
  const [opened, setOpened] = useState<string | null>(null);
  const revoke = useMutation({
    mutationFn: revokeEmbeddedPanel,
    onSettled: () => client.invalidateQueries({ queryKey: ['embedded_panel'] }),
  });
  if (panels.error)
    return <ErrorState compact what="Could not load the links" error={panels.error} />;
  const items = panels.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-label="Links to panels of this service">
      <h3 className={classes.head}>Existing links</h3>
      {revoke.error && <ErrorState compact what="Could not revoke the link" error={revoke.error} />}
      <ul className={classes.list}>
        {items.map((panel) => (
          <li key={panel.id}>
            <div className={classes.line}>
              <span>{panelText(panel)}</span>
              <span className="muted">
                expires <Timestamp at={panel.expires_at} exact />
              </span>
              <span className="grow" />
              <RowAction
                word="Show"
                label={`Show the addresses of ${panelText(panel)}`}
                onClick={() => setOpened(opened === panel.id ? null : panel.id)}
              />
              <RowAction
                word="Revoke"
                label={`Revoke ${panelText(panel)}`}
                loading={revoke.isPending && revoke.variables === panel.id}
                onClick={() => revoke.mutate(panel.id)}
              />
            </div>
            {opened === panel.id && <PanelAddresses panel={panel} name={service.name} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
