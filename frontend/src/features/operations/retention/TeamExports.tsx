import { Button, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TeamExport } from '../../../api';
import {
  DeleteDialog,
  EmptyState,
  ErrorState,
  ListRow,
  ListSection,
  RowAction,
  RowActions,
  RowLine,
  RowName,
  Section,
  Timestamp,
  countOf,
  sizeText,
} from '../../../ui';
import classes from './retention.module.css';
import {
  deleteTeamExport,
  exportAddress,
  exportsQuery,
  createTeamExport,
} from './retention-queries';

/** All of the team's data in one file. */
export function TeamExports({ mayManage }: { mayManage: boolean }) {
  if (!mayManage)
    return (
      <Section title="Export team data">
        <EmptyState>Only admins and owners can export team data.</EmptyState>
      </Section>
    );
  return <ExportsList />;
}

function ExportsList() {
  const client = useQueryClient();
  const exports = useQuery(exportsQuery);
  const [leaving, setLeaving] = useState<TeamExport | null>(null);
  const onSettled = () => client.invalidateQueries({ queryKey: ['team-export'] });
  const make = useMutation({ mutationFn: createTeamExport, onSettled });
  const remove = useMutation({
    mutationFn: () => deleteTeamExport(leaving?.id ?? ''),
    onSuccess: async () => {
      setLeaving(null);
      await onSettled();
    },
  });
  const open = exports.data?.items.some(
    (one) => one.state === 'waiting' || one.state === 'running',
  );
  return (
    <ListSection
      title="Export team data"
      help="retention"
      noun="exports"
      aside="originals, and the rows of every table as JSON lines, in one zip with a manifest"
      kept={exports}
      add={
        <Button
          loading={make.isPending}
          disabled={open}
          title={open ? 'An export is running' : undefined}
          onClick={() => {
            make.mutate();
          }}
        >
          Export all data
        </Button>
      }
      empty="No exports. Exports never contain passwords, secrets or stored credentials."
      above={
        make.error && <ErrorState compact what="Could not start the export" error={make.error} />
      }
      row={(one) => (
        <Row
          one={one}
          onDelete={() => {
            setLeaving(one);
          }}
        />
      )}
    >
      {leaving && (
        <DeleteDialog
          name="this export"
          noun="export"
          remove={remove}
          onClose={() => {
            setLeaving(null);
          }}
        >
          Deletes the file now. The team&apos;s data is not affected.
        </DeleteDialog>
      )}
    </ListSection>
  );
}

function Row({ one, onDelete }: { one: TeamExport; onDelete: () => void }) {
  const underWay = one.state === 'waiting' || one.state === 'running';
  const name = `Export of ${new Date(one.created_at).toLocaleDateString('en-GB')}`;
  return (
    <ListRow label={name}>
      <RowLine role={underWay ? 'status' : undefined}>
        <RowName>{name}</RowName>
        <span className="t2">
          {underWay && (one.step || 'waiting')}
          {one.state === 'done' &&
            `${sizeText(one.size_bytes ?? 0)}, ${countOf(one.files ?? 0, 'original')}`}
          {one.state === 'cancelled' && 'cancelled'}
        </span>
        {one.state === 'done' && (one.missing ?? 0) > 0 && (
          <span className="muted">{countOf(one.missing ?? 0, 'original')} no longer available</span>
        )}
        {one.expires_at && (
          <span className="muted">
            Expires <Timestamp at={one.expires_at} exact />
          </span>
        )}
        <RowActions>
          {one.state === 'done' && (
            <Button size="compact-xs" component="a" href={exportAddress(one.id)} download>
              Download
            </Button>
          )}
          <RowAction
            word={underWay ? 'Cancel' : 'Delete'}
            label={`${underWay ? 'Cancel' : 'Delete'} ${name}`}
            onClick={onDelete}
          />
        </RowActions>
      </RowLine>
      {underWay && (
        <Progress
          className={classes.progress}
          size="xs"
          value={one.progress * 100}
          aria-label={`Progress of ${name}`}
        />
      )}
      {one.problem && (
        <ErrorState compact what="Export failed" error={new Error(one.problem.detail)} />
      )}
      {one.sha256 && (
        <RowLine>
          <span className="muted">
            SHA-256 <span className="mono">{one.sha256.slice(0, 16)}…</span>; verify with: slowpath
            admin check-export FILE
          </span>
        </RowLine>
      )}
    </ListRow>
  );
}
