/** Where uploads meet comparisons: the drawer's one button makes a comparison and goes there. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { TeamMembership } from '../api';
import { createComparison } from '../features/comparisons';
import { DropAnywhere, UploadDrawer, tray, useTray, type Ready } from '../features/uploads';

export function UploadPlace({ team }: { team: TeamMembership }) {
  const { open } = useTray();
  const navigate = useNavigate();
  const client = useQueryClient();
  const compare = useMutation({
    mutationFn: (ready: Ready) => createComparison(ready),
    onSuccess: async (comparison) => {
      void client.invalidateQueries({ queryKey: ['comparison', 'list'] });
      tray.setOpen(false);
      tray.clear();
      await navigate({
        to: '/t/$team/comparisons/$comparisonId',
        params: { team: team.slug, comparisonId: comparison.id },
        search: {},
      });
    },
  });
  return (
    <>
      <DropAnywhere allowed={team.role !== 'viewer'} />
      {open && (
        <UploadDrawer
          onCompare={compare.mutate}
          comparing={compare.isPending}
          compareError={compare.error}
        />
      )}
    </>
  );
}
