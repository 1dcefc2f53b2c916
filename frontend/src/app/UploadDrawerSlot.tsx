import { Suspense, lazy } from 'react';
import type { TeamMembership } from '../api';
import { PageDropZone, useTray } from '../features/evidence/artifacts';

const UploadPanel = lazy(async () => ({
  default: (await import('./pages/UploadToComparison')).UploadToComparison,
}));

/** The place of the upload drawer beside every page; its inside is loaded when it is first opened. */
export function UploadDrawerSlot({ team }: { team: TeamMembership }) {
  const { open } = useTray();
  return (
    <>
      <PageDropZone allowed={team.role !== 'viewer'} />
      {open && (
        <Suspense fallback={null}>
          <UploadPanel team={team.slug} />
        </Suspense>
      )}
    </>
  );
}
