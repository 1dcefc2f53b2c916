/** Asks before a comparison goes: what goes with it, and what stays. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { DeleteDialog } from '../../../ui';
import { deleteComparison } from './comparison-queries';

type Props = {
  comparison: { id: string; name: string };
  onDeleted?: () => void;
  onClose: () => void;
};

export function DeleteComparison({ comparison, onDeleted, onClose }: Props) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteComparison(comparison.id),
    onSuccess: async () => {
      onClose();
      onDeleted?.();
      await client.invalidateQueries({ queryKey: ['comparison', 'list'] });
    },
  });
  return (
    <DeleteDialog name={comparison.name} noun="comparison" remove={remove} onClose={onClose}>
      Deletes its findings, graphs, exports and comments; links to it stop working. Its artifacts
      and reports that show it stay.
    </DeleteDialog>
  );
}
