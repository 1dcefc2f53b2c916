import { Suspense, lazy } from 'react';
import type { TeamMembership } from '../api';
import { PageDropZone, useTray } from '../features/evidence/artifacts';

const UploadPanel = lazy(async () => ({
  default: (await import('./pages/UploadToComparison')).UploadToComparison,
}));

/**
 * The drop zone of each page, and the upload drawer; the drawer's code is loaded when it is first
 * opened.
 */
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
