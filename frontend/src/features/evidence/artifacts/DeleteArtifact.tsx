/** Asks for confirmation before an artifact is deleted: its bytes cannot be restored. */
import { DeleteResource } from '../../../ui';
import { deleteArtifact } from './artifact-queries';

type Props = {
  file: { id: string; name: string };
  onDeleted?: () => void;
  onClose: () => void;
};

export function DeleteArtifact({ file, onDeleted, onClose }: Props) {
  return (
    <DeleteResource
      name={file.name}
      noun="artifact"
      request={() => deleteArtifact(file.id)}
      stale={['artifact', 'list']}
      onDeleted={onDeleted}
      onClose={onClose}
    >
      Deletes the file and everything decoded from it. Comparisons keep their results but cannot be
      recomputed; reports are not affected.
    </DeleteResource>
  );
}
