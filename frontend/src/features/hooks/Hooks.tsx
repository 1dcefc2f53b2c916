/** What GitHub and GitLab tell by themselves: pushes, deploys, runs of CI. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Hook, HookMade } from '../../api';
import { CopyField, DeleteDialog, ListSection } from '../../ui';
import { HookForm } from './HookForm';
import { HookRow } from './HookRow';
import classes from './hooks.module.css';
import { deleteHook, hooksQuery } from './queries';
import { KINDS, SETUP } from './wording';

export type HooksProps = { mayManage: boolean };

export default function Hooks({ mayManage }: HooksProps) {
  const hooks = useQuery(hooksQuery);
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Hook | null>(null);
  const [made, setMade] = useState<HookMade | null>(null);
  return (
    <ListSection
      title="Hooks"
      aside="what GitHub and GitLab tell by themselves: pushes, deploys, runs of CI"
      kept={hooks}
      add={
        mayManage && (
          <Button
            onClick={() => {
              setAdding(true);
            }}
          >
            Add hook
          </Button>
        )
      }
      empty="No hooks yet. With one, commits are known as soon as they are pushed, deploys are marked on the board, and builds name their pull request."
      above={made && <SecretOnce made={made} />}
      row={(hook) => (
        <HookRow
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
        <HookForm
          onDone={(added) => {
            setAdding(false);
            if (added) setMade(added);
          }}
        />
      )}
      {leaving && (
        <DeleteHook
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
function SecretOnce({ made: { hook, secret } }: { made: HookMade }) {
  return (
    <div className={classes.once}>
      <p>
        <b>Copy the secret of {hook.name} now.</b> It is shown this once. {SETUP[hook.kind]}
      </p>
      <CopyField label={`Address for ${KINDS[hook.kind]}`} value={hook.address} />
      <CopyField label="Secret" value={secret} />
    </div>
  );
}

function DeleteHook({ hook, onDone }: { hook: Hook; onDone: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteHook(hook.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['hook'] });
      onDone();
    },
  });
  return (
    <DeleteDialog name={hook.name} noun="hook" remove={remove} onClose={onDone}>
      What {KINDS[hook.kind]} sends is refused from then on. Commits, deploys and what builds were
      told stay.
    </DeleteDialog>
  );
}
