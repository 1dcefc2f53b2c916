/** What GitHub and GitLab tell by themselves: pushes, deploys, runs of CI. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Hook, WebhookCreatedOut } from '../../../api';
import { CopyField, DeleteDialog, ListSection } from '../../../ui';
import { WebhookForm } from './WebhookForm';
import { WebhookRow } from './WebhookRow';
import classes from './webhooks.module.css';
import { deleteWebhook, webhooksQuery } from './webhook-queries';
import { KINDS, SETUP } from './webhook-wording';

export type WebhooksProps = { mayManage: boolean };

export default function Webhooks({ mayManage }: WebhooksProps) {
  const hooks = useQuery(webhooksQuery);
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Hook | null>(null);
  const [made, setMade] = useState<WebhookCreatedOut | null>(null);
  return (
    <ListSection
      title="Webhooks"
      help="codeHosts"
      aside="pushes, deployments and CI runs from GitHub and GitLab"
      kept={hooks}
      add={
        mayManage && (
          <Button
            onClick={() => {
              setAdding(true);
            }}
          >
            Add webhook
          </Button>
        )
      }
      empty="No webhooks yet. Add one to record commits on push, mark deployments on the dashboard and link builds to pull requests."
      above={made && <SecretOnce made={made} />}
      row={(hook) => (
        <WebhookRow
          hook={hook}
          mayManage={mayManage}
          onSecret={setMade}
          onDelete={() => {
            setLeaving(hook);
          }}
        />
      )}
    >
      {adding && (
        <WebhookForm
          onDone={(added) => {
            setAdding(false);
            if (added) setMade(added);
          }}
        />
      )}
      {leaving && (
        <DeleteWebhook
          hook={leaving}
          onDone={() => {
            setLeaving(null);
          }}
        />
      )}
    </ListSection>
  );
}

/** Address and secret, in the one moment in which the secret is known here. */
function SecretOnce({ made: { webhook: hook, secret } }: { made: WebhookCreatedOut }) {
  return (
    <div className={classes.once}>
      <p>
        <b>Copy the secret of {hook.name} now.</b> It is shown once. {SETUP[hook.kind]}
      </p>
      <CopyField label={`URL for ${KINDS[hook.kind]}`} value={hook.address} />
      <CopyField label="Secret" value={secret} />
    </div>
  );
}

function DeleteWebhook({ hook, onDone }: { hook: Hook; onDone: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteWebhook(hook.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['webhook'] });
      onDone();
    },
  });
  return (
    <DeleteDialog name={hook.name} noun="hook" remove={remove} onClose={onDone}>
      What {KINDS[hook.kind]} sends is rejected from then on. Commits, deployments and build
      metadata stay.
    </DeleteDialog>
  );
}
