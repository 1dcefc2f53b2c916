import { Button, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TeamExport } from '../../api';
import {
  DeleteDialog,
  EmptyState,
  ErrorState,
  ListRow,
  ListSection,
  RowAct,
  RowActs,
  RowLine,
  RowName,
  Section,
  Time,
  countOf,
  sizeText,
} from '../../ui';
import classes from './keeping.module.css';
import { deleteExport, exportAddress, exportsQuery, makeExport } from './queries';

/** All of the team's data in one file. */
export function Exports({ mayManage }: { mayManage: boolean }) {
  if (!mayManage)
    return (
      <Section title="Take everything away">
        <EmptyState>Admins and owners can have all data of the team put in one file.</EmptyState>
      </Section>
    );
  return <ExportsList />;
}

function ExportsList() {
  const client = useQueryClient();
  const exports = useQuery(exportsQuery);
  const [leaving, setLeaving] = useState<TeamExport | null>(null);
  const onSettled = () => client.invalidateQueries({ queryKey: ['team-export'] });
  const make = useMutation({ mutationFn: makeExport, onSettled });
  const remove = useMutation({
    mutationFn: () => deleteExport(leaving?.id ?? ''),
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
      title="Take everything away"
      noun="exports"
      aside="originals, and the rows of every table as JSON lines, in one zip with a manifest"
      kept={exports}
      add={
        <Button
          loading={make.isPending}
          disabled={open}
          title={open ? 'One is being made' : undefined}
          onClick={() => {
            make.mutate();
          }}
        >
          Export all data
        </Button>
      }
      empty="Nothing was exported, or it has expired. What lets somebody in (passwords, secrets, sealed credentials) is never in it."
      above={make.error && <ErrorState compact what="No export was begun" error={make.error} />}
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
          The file goes at once; the team&apos;s data stays as it is.
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
          <span className="muted">{countOf(one.missing ?? 0, 'original')} already gone</span>
        )}
        {one.expires_at && (
          <span className="muted">
            kept until <Time at={one.expires_at} exact />
          </span>
        )}
        <RowActs>
          {one.state === 'done' && (
            <Button size="compact-xs" component="a" href={exportAddress(one.id)} download>
              Download
            </Button>
          )}
          <RowAct
            word={underWay ? 'Cancel' : 'Delete'}
            label={`${underWay ? 'Cancel' : 'Delete'} ${name}`}
            onClick={onDelete}
          />
        </RowActs>
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
        <ErrorState compact what="It was not made" error={new Error(one.problem.detail)} />
      )}
      {one.sha256 && (
        <RowLine>
          <span className="muted">
            SHA-256 <span className="mono">{one.sha256.slice(0, 16)}…</span>; to check it: slowpath
            admin check-export FILE
          </span>
        </RowLine>
      )}
    </ListRow>
  );
}
