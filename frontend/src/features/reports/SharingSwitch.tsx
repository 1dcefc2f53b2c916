/** The team's switch for all share links at once. */
import { Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorState, Section, SkeletonRows } from '../../ui';
import { changeSharing, sharingQuery } from './queries';

export type SharingSwitchProps = { mayManage: boolean };

export default function SharingSwitch({ mayManage }: SharingSwitchProps) {
  const client = useQueryClient();
  const sharing = useQuery(sharingQuery);
  const keep = useMutation({
    mutationFn: changeSharing,
    onSettled: () => client.invalidateQueries({ queryKey: ['sharing'] }),
  });
  return (
    <Section title="Share links" aside="reports for people who are not signed in">
      {sharing.error && (
        <ErrorState compact what="The switch could not be read" error={sharing.error} />
      )}
      {sharing.isPending && <SkeletonRows rows={1} />}
      {sharing.data && (
        <Checkbox
          checked={sharing.data.links_allowed}
          disabled={!mayManage || keep.isPending}
          title={mayManage ? undefined : 'Admins and owners may'}
          label="Reports may be shared by link"
          description="When it is off, every link of the team ends at once, and none can be made."
          onChange={(event) => {
            keep.mutate(event.currentTarget.checked);
          }}
        />
      )}
      {keep.error && <ErrorState compact what="Nothing was changed" error={keep.error} />}
    </Section>
  );
}
