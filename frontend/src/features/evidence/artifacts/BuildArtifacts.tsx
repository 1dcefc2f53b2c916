/** The artifacts of one build, newest first. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { makeConnectionLostError, type Artifact } from '../../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  SkeletonRows,
  StateIcon,
  Timestamp,
  sizeText,
} from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import { isUnderWay, ofBuildQuery } from './artifact-queries';
import { STATE_ICONS, describe, stateText } from './artifact-wording';

type FilesProps = { buildId: string; link: (artifact: Artifact) => ReactNode };

export function BuildArtifacts({ buildId, link }: FilesProps) {
  const pollWhile = usePollWhile();
  const files = useQuery({
    ...ofBuildQuery(buildId),
    refetchInterval: ({ state }) => pollWhile(state.data?.items.some(isUnderWay) ?? false),
  });
  const failed = makeConnectionLostError(files);
  if (failed) return <ErrorState error={failed} />;
  if (!files.data) return <SkeletonRows rows={3} />;
  const { items } = files.data;
  if (items.length === 0) return <EmptyState>No artifacts uploaded for this build.</EmptyState>;
  return (
    <DataTable
      label="Artifacts of the build"
      columns={[
        { id: 'name', head: 'Name', cell: link },
        { id: 'what', head: 'Kind', width: '32%', cell: describe },
        {
          id: 'size',
          head: 'Size',
          width: 90,
          align: 'right',
          cell: (artifact) => sizeText(artifact.size_bytes),
        },
        {
          id: 'state',
          head: 'State',
          width: 130,
          cell: (artifact) => (
            <StateIcon glyph={STATE_ICONS[artifact.state]}>{stateText(artifact)}</StateIcon>
          ),
        },
        {
          id: 'at',
          head: 'Uploaded',
          width: 140,
          align: 'right',
          cell: (artifact) => <Timestamp at={artifact.created_at} />,
        },
      ]}
      rowCount={items.length}
      rowAt={(index) => items[index]!}
      rowKey={({ id }) => id}
      minWidth={720}
    />
  );
}
