/** Asks before a comparison goes: what goes with it, and what stays. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { DeleteDialog } from '../../ui';
import { deleteComparison } from './queries';

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
      Its findings, graphs, exports and what was said about it go with it, and links to it lead
      nowhere. Its files stay, and so do reports that show it.
    </DeleteDialog>
  );
}
