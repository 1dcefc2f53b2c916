/**
 * The settings of the team's sharing: a switch for all share links, and the sites that may embed
 * panels.
 */
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState, Section, SkeletonRows, onText } from '../../../ui';
import { updateSharing, sharingQuery } from './report-queries';

export type SharingSwitchProps = { mayManage: boolean };

export default function SharingSwitch({ mayManage }: SharingSwitchProps) {
  const client = useQueryClient();
  const sharing = useQuery(sharingQuery);
  const save = useMutation({
    mutationFn: updateSharing,
    onSettled: () => client.invalidateQueries({ queryKey: ['sharing'] }),
  });
  return (
    <Section title="Share links" aside="report access without signing in">
      {sharing.error && (
        <ErrorState compact what="Could not load the setting" error={sharing.error} />
      )}
      {sharing.isPending && <SkeletonRows rows={1} />}
      {sharing.data && (
        <Checkbox
          mb={12}
          checked={sharing.data.are_links_allowed}
          disabled={!mayManage || save.isPending}
          title={mayManage ? undefined : 'Only admins and owners can change this'}
          label="Allow share links"
          description="When off, existing links and embedded panels of the team stop working and no new ones can be created."
          onChange={(event) => save.mutate({ are_links_allowed: event.currentTarget.checked })}
        />
      )}
      {sharing.data && (
        <Origins
          key={sharing.data.embedding_origins.join(' ')}
          saved={sharing.data.embedding_origins.join(' ')}
          mayManage={mayManage}
          isSaving={save.isPending}
          onSave={(embedding_origins) => save.mutate({ embedding_origins })}
        />
      )}
      {save.error && <ErrorState compact what="Could not save the changes" error={save.error} />}
    </Section>
  );
}

type OriginsProps = {
  /** Separated by spaces. */
  saved: string;
  mayManage: boolean;
  isSaving: boolean;
  onSave: (origins: string[]) => void;
};

/** The sites that may show embedded panels in a frame. */
function Origins({ saved, mayManage, isSaving, onSave }: OriginsProps) {
  const [text, setText] = useState(saved);
  const origins = text.split(/[\s,]+/u).filter(Boolean);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(origins);
      }}
    >
      <TextInput
        label="Sites that may embed panels"
        description="Origins separated by spaces. Other sites cannot show an embedded panel in a frame."
        placeholder="https://wiki.example.com https://grafana.example.com"
        disabled={!mayManage}
        classNames={{ input: 'mono' }}
        maw={640}
        value={text}
        onChange={onText(setText)}
      />
      <Button
        type="submit"
        my={8}
        loading={isSaving}
        disabled={!mayManage || origins.join(' ') === saved}
        title={mayManage ? undefined : 'Only admins and owners can change this'}
      >
        Save sites
      </Button>
    </form>
  );
}
