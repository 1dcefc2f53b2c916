/** The files of one build, newest first. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { lost, type Artifact } from '../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  SkeletonRows,
  StateGlyph,
  Time,
  sizeText,
} from '../../ui';
import { usePollWhile } from '../work';
import { isUnderWay, ofBuildQuery } from './queries';
import { STATE_GLYPHS, describe, stateText } from './wording';

type FilesProps = { buildId: string; link: (artifact: Artifact) => ReactNode };

export function BuildFiles({ buildId, link }: FilesProps) {
  const pollWhile = usePollWhile();
  const files = useQuery({
    ...ofBuildQuery(buildId),
    refetchInterval: ({ state }) => pollWhile(state.data?.items.some(isUnderWay) ?? false),
  });
  const failed = lost(files);
  if (failed) return <ErrorState error={failed} />;
  if (!files.data) return <SkeletonRows rows={3} />;
  const { items } = files.data;
  if (items.length === 0)
    return <EmptyState>What CI posts of this build will be listed here.</EmptyState>;
  return (
    <DataTable
      label="Files of the build"
      columns={[
        { id: 'name', head: 'name', cell: link },
        { id: 'what', head: 'what it is', width: '32%', cell: describe },
        {
          id: 'size',
          head: 'size',
          width: 90,
          align: 'right',
          cell: (artifact) => sizeText(artifact.size_bytes),
        },
        {
          id: 'state',
          head: 'state',
          width: 130,
          cell: (artifact) => (
            <StateGlyph glyph={STATE_GLYPHS[artifact.state]}>{stateText(artifact)}</StateGlyph>
          ),
        },
        {
          id: 'at',
          head: 'uploaded',
          width: 140,
          align: 'right',
          cell: (artifact) => <Time at={artifact.created_at} />,
        },
      ]}
      rowCount={items.length}
      rowAt={(index) => items[index]!}
      rowKey={({ id }) => id}
      minWidth={720}
    />
  );
}
