/** Webhooks of code hosts: pushes, pull requests, deployments and CI runs. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WebhookCreatedOut } from '../../../api';
import { CopyField, DeleteResource, EditableList, OneTimeSecret } from '../../../ui';
import { WebhookForm } from './WebhookForm';
import { WebhookRow } from './WebhookRow';
import { deleteWebhook, webhooksQuery } from './webhook-queries';
import { KINDS, SETUP } from './webhook-wording';

export type WebhooksProps = { mayManage: boolean };

export default function Webhooks({ mayManage }: WebhooksProps) {
  const webhooks = useQuery(webhooksQuery);
  const [created, setCreated] = useState<WebhookCreatedOut | null>(null);
  return (
    <EditableList
      title="Webhooks"
      help="codeHosts"
      aside="pushes, pull requests, deployments and CI runs from GitHub, GitLab and Bitbucket"
      query={webhooks}
      add={mayManage && 'Add webhook'}
      empty="No webhooks yet. Add one to record commits on push, mark deployments on the dashboard and link builds to pull requests."
      above={created && <WebhookSecret created={created} />}
      columns={[
        { id: 'name', head: 'Name', text: ({ name }) => name },
        { id: 'address', head: 'Address', text: ({ address }) => address },
        { id: 'kind', head: 'Kind', text: ({ kind }) => kind },
      ]}
      row={(hook, { onDelete }) => (
        <WebhookRow hook={hook} mayManage={mayManage} onSecret={setCreated} onDelete={onDelete} />
      )}
      form={(_, onDone) => (
        <WebhookForm
          onDone={(added) => {
            onDone();
            if (added) setCreated(added);
          }}
        />
      )}
      deletion={({ id, name, kind }, onClose) => (
        <DeleteResource
          name={name}
          noun="webhook"
          request={async () => {
            await deleteWebhook(id);
            if (created?.webhook.id === id) setCreated(null);
          }}
          stale={['webhook']}
          onClose={onClose}
        >
          What {KINDS[kind]} sends is rejected from then on. Commits, deployments and build metadata
          stay.
        </DeleteResource>
      )}
    />
  );
}

function WebhookSecret({ created: { webhook, secret } }: { created: WebhookCreatedOut }) {
  return (
    <OneTimeSecret
      lead={`Copy the secret of ${webhook.name} now.`}
      note={`It is shown once. ${SETUP[webhook.kind]}`}
      label="Secret"
      secret={secret}
    >
      <CopyField label={`URL for ${KINDS[webhook.kind]}`} value={webhook.address} />
    </OneTimeSecret>
  );
}
