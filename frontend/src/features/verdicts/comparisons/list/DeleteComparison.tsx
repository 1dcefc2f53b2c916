/**
 * A dialog that confirms the deletion of a comparison: what is deleted with it and what remains.
 */
import { DeleteResource } from '../../../../ui';
import { deleteComparison } from '../shared/comparison-queries';

type Props = {
  comparison: { id: string; name: string };
  onDeleted?: () => void;
  onClose: () => void;
};

export function DeleteComparison({ comparison, onDeleted, onClose }: Props) {
  return (
    <DeleteResource
      name={comparison.name}
      noun="comparison"
      request={() => deleteComparison(comparison.id)}
      stale={['comparison', 'list']}
      onDeleted={onDeleted}
      onClose={onClose}
    >
      Deletes its findings, graphs, exports and comments; links to it stop working. Its artifacts
      and reports that show it stay.
    </DeleteResource>
  );
}
