import { Suspense, lazy } from 'react';
import type { TeamMembership } from '../api';
import { DropAnywhere, useTray } from '../features/uploads';

const UploadPanel = lazy(async () => ({
  default: (await import('./pages/UploadPanel')).UploadPanel,
}));

/** The place of the upload drawer beside every page; its inside is loaded when it is first opened. */
export function UploadPlace({ team }: { team: TeamMembership }) {
  const { open } = useTray();
  return (
    <>
      <DropAnywhere allowed={team.role !== 'viewer'} />
      {open && (
        <Suspense fallback={null}>
          <UploadPanel team={team.slug} />
        </Suspense>
      )}
    </>
  );
}
