/** Asks before a file goes: its bytes can not be had back. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { DeleteDialog } from '../../ui';
import { deleteArtifact } from './queries';

type Props = {
  file: { id: string; name: string };
  onDeleted?: () => void;
  onClose: () => void;
};

export function DeleteFile({ file, onDeleted, onClose }: Props) {
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
    <DeleteDialog name={file.name} noun="file" remove={remove} onClose={onClose}>
      Its bytes and what was read from them go. Comparisons keep what they found with it, but can
      not be computed again; reports stay.
    </DeleteDialog>
  );
}
