/** Asks before a file goes: its bytes cannot be restored. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { DeleteDialog } from '../../../ui';
import { deleteArtifact } from './artifact-queries';

type Props = {
  file: { id: string; name: string };
  onDeleted?: () => void;
  onClose: () => void;
};

export function DeleteArtifact({ file, onDeleted, onClose }: Props) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteArtifact(file.id),
    onSuccess: async () => {
      onClose();
      onDeleted?.();
      await client.invalidateQueries({ queryKey: ['artifact', 'list'] });
    },
  });
  return (
    <DeleteDialog name={file.name} noun="artifact" remove={remove} onClose={onClose}>
      Deletes the file and everything decoded from it. Comparisons keep their results but cannot be
      recomputed; reports are not affected.
    </DeleteDialog>
  );
}
