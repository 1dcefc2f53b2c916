/**
 * A dialog that deletes a bisect. The artifacts of its probes are not deleted unless the user
 * selects that.
 */
import { Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Bisect } from '../../../../api';
import { DeleteDialog, countOf, sizeText } from '../../../../ui';
import { deleteBisect, filesQuery } from '../shared/bisect-queries';

type Props = { bisect: Bisect; onDeleted: () => void; onClose: () => void };

export function DeleteBisect({ bisect, onDeleted, onClose }: Props) {
  const client = useQueryClient();
  const left = useQuery(filesQuery(bisect.id));
  const [withFiles, setWithFiles] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteBisect(bisect.id, withFiles),
    onSuccess: async () => {
      onDeleted();
      await client.invalidateQueries({ queryKey: ['bisect', 'list'] });
    },
  });
  const { files = 0, size_bytes = 0, compared_artifacts: compared = 0 } = left.data ?? {};
  const it = compared === 1 ? 'it' : 'them';
  return (
    <DeleteDialog
      name={`bisect ${bisect.number}`}
      noun="bisect"
      remove={remove}
      onClose={onClose}
      choice={
        files > 0 && (
          <Checkbox
            label={`Also delete ${countOf(files, 'artifact')} of its deployments, ${sizeText(size_bytes)}`}
            checked={withFiles}
            onChange={(event) => setWithFiles(event.currentTarget.checked)}
          />
        )
      }
    >
      Deletes its probes and their measurements. Reports stay.
      {files > 0 && ` You can also delete the ${countOf(files, 'artifact')} of its deployments.`}
      {compared > 0 &&
        ` ${countOf(compared, 'artifact')} of them ${compared === 1 ? 'stays' : 'stay'}: comparisons show ${it}.`}
    </DeleteDialog>
  );
}
