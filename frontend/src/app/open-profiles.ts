/** Opens artifacts without a comparison: one on its page, several as a profile set. */
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { LabelMatcher } from '../api';
import { openProfileSet, type ProfileSearch } from '../features/evidence/profiles';

type Opened = { artifactIds: string[]; labels?: LabelMatcher[] };

export function useOpenProfiles(team: string) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async ({ artifactIds, labels = [] }: Opened) => {
      const search: ProfileSearch =
        labels.length > 0 ? { labels: labels.map(({ key, value }) => [key, value]) } : {};
      const [only] = artifactIds;
      if (artifactIds.length === 1 && only !== undefined) {
        const params = { team, artifactId: only };
        await navigate({ to: '/t/$team/artifacts/$artifactId', params, search });
        return;
      }
      const { id } = await openProfileSet(artifactIds);
      const params = { team, setId: id };
      await navigate({ to: '/t/$team/profile-sets/$setId', params, search });
    },
  });
}
