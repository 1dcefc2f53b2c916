/**
 * The upload drawer, which compares both sides or opens the files as profiles, and then shows that
 * page.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createComparison } from '../../features/verdicts/comparisons';
import { UploadDrawer, tray, type Ready } from '../../features/evidence/artifacts';
import { useOpenProfiles } from '../open-profiles';

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
  const open = useOpenProfiles(team);
  return (
    <UploadDrawer
      onOpen={(artifactIds) =>
        open.mutate({ artifactIds }, { onSuccess: () => tray.setOpen(false) })
      }
      onCompare={compare.mutate}
      comparing={compare.isPending}
      compareError={compare.error ?? open.error}
    />
  );
}
