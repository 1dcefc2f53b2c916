/** The team's switch for all share links at once. */
import { Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorState, Section, SkeletonRows } from '../../../ui';
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
          checked={sharing.data.are_links_allowed}
          disabled={!mayManage || save.isPending}
          title={mayManage ? undefined : 'Only admins and owners can change this'}
          label="Allow share links"
          description="When off, existing links of the team stop working and no new ones can be created."
          onChange={(event) => save.mutate(event.currentTarget.checked)}
        />
      )}
      {save.error && <ErrorState compact what="Could not save the changes" error={save.error} />}
    </Section>
  );
}
