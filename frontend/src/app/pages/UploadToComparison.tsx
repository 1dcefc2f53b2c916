/** Where uploads meet comparisons: the drawer's one button makes a comparison and goes there. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createComparison } from '../../features/verdicts/comparisons';
import { UploadDrawer, tray, type Ready } from '../../features/evidence/artifacts';

export function UploadToComparison({ team }: { team: string }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const compare = useMutation({
    mutationFn: (ready: Ready) => createComparison(ready),
    onSuccess: async ({ id }) => {
      void client.invalidateQueries({ queryKey: ['comparison', 'list'] });
      tray.setOpen(false);
      tray.clear();
      await navigate({
        to: '/t/$team/comparisons/$comparisonId',
        params: { team, comparisonId: id },
        search: {},
      });
    },
  });
  return (
    <UploadDrawer
      onCompare={compare.mutate}
      comparing={compare.isPending}
      compareError={compare.error}
    />
  );
}
