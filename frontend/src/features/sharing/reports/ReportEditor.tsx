/**
 * The editor of a draft: adds, edits, captions and removes parts, and moves them by mouse or keys.
 * Each change is saved at once.
 */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type DragEvent, type ReactNode } from 'react';
import type { Report } from '../../../api';
import { DeleteDialog, EmptyState, ErrorState, ReportParts } from '../../../ui';
import { partsOf, type SnapshotFrame } from './ReportBody';
import { ReportPart, type PartProps } from './ReportPart';
import { TextForm, type SaveState } from './ReportPartForms';
import { changed, dropped, moved, withText } from './report-blocks';
import { reportQuery, updateReport } from './report-queries';
import type { Block, BlockFields } from './report-types';
import classes from './reports.module.css';
import {
  discardUnsavedText,
  findUnsavedText,
  saveUnsavedText,
  type ReportTextEdit,
} from './unsaved-text';

type EditorProps = {
  report: Report;
  page: SnapshotFrame;
  liveLink: (path: string, words: string) => ReactNode;
};

const BUSY = 'Save or cancel the current edit first';

/**
 * Returns the part that is edited, the part to be removed, and the mutation that saves all parts.
 */
function useReportEditing(report: Report) {
  const client = useQueryClient();
  const [edited, setPlace] = useState<ReportTextEdit>(
    () => findUnsavedText(report.id)?.place ?? null,
  );
  const [removing, setRemoving] = useState<Block | null>(null);
  const setEdited = (place: ReportTextEdit) => {
    discardUnsavedText(report.id);
    setPlace(place);
  };
  const saving = useMutation({
    mutationFn: (next: BlockFields[]) =>
      updateReport(report.id, { blocks: next, updated_at: report.updated_at }),
    onSuccess: (saved) => {
      client.setQueryData(reportQuery(report.id).queryKey, saved);
      setEdited(null);
      setRemoving(null);
    },
    onError: () => client.invalidateQueries({ queryKey: ['report', 'one', report.id] }),
  });
  return { edited, setEdited, removing, setRemoving, saving };
}

/** Returns the drag and drop listeners of a part's handle and of the part itself. */
function usePartDrag(move: (from: number, to: number) => void) {
  const [dragged, setDragged] = useState<number | null>(null);
  return (index: number): Pick<PartProps, 'drag' | 'drop'> => ({
    drag: {
      onDragStart: (event) => {
        event.dataTransfer.effectAllowed = 'move';
        setDragged(index);
      },
      onDragEnd: () => setDragged(null),
    },
    drop:
      dragged === null || dragged === index
        ? {}
        : {
            'data-target': true,
            onDragOver: (event: DragEvent) => event.preventDefault(),
            onDrop: (event: DragEvent) => {
              event.preventDefault();
              move(dragged, index);
              setDragged(null);
            },
          },
  });
}

export function ReportEditor({ report, page, liveLink }: EditorProps) {
  const { blocks } = report;
  const { edited, setEdited, removing, setRemoving, saving } = useReportEditing(report);
  const move = (from: number, to: number) => {
    if (to >= 0 && to < blocks.length && to !== from) saving.mutate(moved(blocks, from, to));
  };
  const dragOf = usePartDrag(move);
  const newText = (at: number) => (
    <NewText
      reportId={report.id}
      at={at}
      edited={edited}
      onEdit={setEdited}
      saving={saving}
      onSave={(markdown) => saving.mutate(withText(blocks, at, markdown))}
    />
  );
  return (
    <ReportParts value={partsOf(blocks)}>
      {saving.error && edited === null && removing === null && (
        <div className={classes.inset}>
          <ErrorState compact what="Could not save the changes" error={saving.error} />
        </div>
      )}
      {blocks.length === 0 && (
        <div className={classes.inset}>
          <EmptyState help="reports">
            This report is empty. Add text here, or use “Add to report” on a comparison, a
            regression, the dashboard or another view.
          </EmptyState>
        </div>
      )}
      {newText(0)}
      {blocks.map((block, index) => (
        <div key={block.id}>
          <ReportPart
            block={block}
            place={{ index, of: blocks.length, busy: saving.isPending || edited !== null }}
            writing={edited !== null && 'id' in edited && edited.id === block.id}
            page={page}
            live={block.kind === 'snapshot' ? liveLink(block.path, 'Open the live page') : null}
            saving={saving}
            unsaved={findUnsavedText(report.id)?.markdown}
            onType={saveUnsavedText(report.id, { id: block.id })}
            onWrite={(on) => setEdited(on ? { id: block.id } : null)}
            onSave={(fields) => saving.mutate(changed(blocks, block.id, fields))}
            onMove={(to) => move(index, to)}
            onRemove={() => setRemoving(block)}
            {...dragOf(index)}
          />
          {newText(index + 1)}
        </div>
      ))}
      {removing && (
        <RemovePart
          block={removing}
          saving={saving}
          onRemove={() => saving.mutate(dropped(blocks, removing.id))}
          onClose={() => setRemoving(null)}
        />
      )}
    </ReportParts>
  );
}

type NewTextProps = {
  reportId: string;
  /** The position of the new part. */
  at: number;
  edited: ReportTextEdit;
  onEdit: (place: ReportTextEdit) => void;
  saving: SaveState;
  onSave: (markdown: string) => void;
};

function NewText({ reportId, at, edited, onEdit, saving, onSave }: NewTextProps) {
  if (edited && 'at' in edited && edited.at === at)
    return (
      <TextForm
        text={findUnsavedText(reportId)?.markdown}
        saving={saving}
        onType={saveUnsavedText(reportId, { at })}
        onSave={onSave}
        onCancel={() => onEdit(null)}
      />
    );
  return (
    <div className={classes.insert}>
      <Button
        size="compact-xs"
        variant="subtle"
        disabled={edited !== null}
        title={edited === null ? undefined : BUSY}
        aria-label={at === 0 ? 'Add text at the top' : `Add text after part ${at}`}
        onClick={() => onEdit({ at })}
      >
        Add text
      </Button>
    </div>
  );
}

type RemoveProps = {
  block: Block;
  saving: SaveState;
  onRemove: () => void;
  onClose: () => void;
};

function RemovePart({ block, saving, onRemove, onClose }: RemoveProps) {
  const isSnapshot = block.kind === 'snapshot';
  return (
    <DeleteDialog
      name={isSnapshot ? `“${block.title}”` : 'this text'}
      noun="part"
      remove={{ mutate: onRemove, isPending: saving.isPending, error: saving.error }}
      onClose={onClose}
    >
      {isSnapshot
        ? 'This snapshot cannot be recreated. Published versions keep it.'
        : 'Versions that are published keep it.'}
    </DeleteDialog>
  );
}
