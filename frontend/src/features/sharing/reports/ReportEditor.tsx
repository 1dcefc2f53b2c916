/** The draft: parts are written, captioned, moved by mouse or keys, and removed. Every change is saved at once. */
import { Button, TextInput, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type DragEvent, type KeyboardEvent, type ReactNode } from 'react';
import type { Report } from '../../../api';
import { DeleteDialog, EmptyState, ErrorState, Markdown, ReportParts } from '../../../ui';
import { ViewCaption, partId, partsOf, type SnapshotFrame } from './ReportBody';
import { changed, dropped, moved, withText } from './report-blocks';
import {
  saveUnsavedText,
  findUnsavedText,
  discardUnsavedText,
  type ReportTextEdit,
} from './unsaved-text';
import { updateReport, reportQuery } from './report-queries';
import classes from './reports.module.css';
import type { Block, BlockFields } from './report-types';

type EditorProps = {
  report: Report;
  page: SnapshotFrame;
  liveLink: (path: string, words: string) => ReactNode;
};

const BUSY = 'Save or cancel the current edit first';

export function ReportEditor({ report, page, liveLink }: EditorProps) {
  const { blocks } = report;
  const client = useQueryClient();
  const [writing, setPlace] = useState<ReportTextEdit>(
    () => findUnsavedText(report.id)?.place ?? null,
  );
  const setWriting = (place: ReportTextEdit) => {
    discardUnsavedText(report.id);
    setPlace(place);
  };
  const [leaving, setLeaving] = useState<Block | null>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const keep = useMutation({
    mutationFn: (next: BlockFields[]) =>
      updateReport(report.id, { blocks: next, updated_at: report.updated_at }),
    onSuccess: (kept) => {
      client.setQueryData(reportQuery(report.id).queryKey, kept);
      setWriting(null);
      setLeaving(null);
    },
    onError: () => client.invalidateQueries({ queryKey: ['report', 'one', report.id] }),
  });
  const move = (from: number, to: number) => {
    if (to >= 0 && to < blocks.length && to !== from) keep.mutate(moved(blocks, from, to));
  };
  const newText = (at: number) =>
    writing && 'at' in writing && writing.at === at ? (
      <TextForm
        text={findUnsavedText(report.id)?.markdown}
        keep={keep}
        onType={saveUnsavedText(report.id, { at })}
        onKeep={(markdown) => {
          keep.mutate(withText(blocks, at, markdown));
        }}
        onCancel={() => {
          setWriting(null);
        }}
      />
    ) : (
      <div className={classes.insert}>
        <Button
          size="compact-xs"
          variant="subtle"
          disabled={writing !== null}
          title={writing === null ? undefined : BUSY}
          aria-label={at === 0 ? 'Add text at the top' : `Add text after part ${at}`}
          onClick={() => {
            setWriting({ at });
          }}
        >
          Add text
        </Button>
      </div>
    );
  return (
    <ReportParts value={partsOf(blocks)}>
      {keep.error && writing === null && leaving === null && (
        <div className={classes.inset}>
          <ErrorState compact what="Could not save the changes" error={keep.error} />
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
          <Part
            block={block}
            place={{ index, of: blocks.length, busy: keep.isPending || writing !== null }}
            writing={writing !== null && 'id' in writing && writing.id === block.id}
            page={page}
            live={block.kind === 'snapshot' ? liveLink(block.path, 'Open the live page') : null}
            keep={keep}
            left={findUnsavedText(report.id)?.markdown}
            onType={saveUnsavedText(report.id, { id: block.id })}
            onWrite={(on) => {
              setWriting(on ? { id: block.id } : null);
            }}
            onKeep={(words) => {
              keep.mutate(changed(blocks, block.id, words));
            }}
            onMove={(to) => {
              move(index, to);
            }}
            onRemove={() => {
              setLeaving(block);
            }}
            drag={{
              onDragStart: (event) => {
                event.dataTransfer.effectAllowed = 'move';
                setDragged(index);
              },
              onDragEnd: () => {
                setDragged(null);
              },
            }}
            drop={
              dragged === null || dragged === index
                ? {}
                : {
                    'data-target': true,
                    onDragOver: (event: DragEvent) => {
                      event.preventDefault();
                    },
                    onDrop: (event: DragEvent) => {
                      event.preventDefault();
                      move(dragged, index);
                      setDragged(null);
                    },
                  }
            }
          />
          {newText(index + 1)}
        </div>
      ))}
      {leaving && (
        <DeleteDialog
          name={leaving.kind === 'snapshot' ? `“${leaving.title}”` : 'this text'}
          noun="part"
          remove={{
            mutate: () => {
              keep.mutate(dropped(blocks, leaving.id));
            },
            isPending: keep.isPending,
            error: keep.error,
          }}
          onClose={() => {
            setLeaving(null);
          }}
        >
          {leaving.kind === 'snapshot'
            ? 'This snapshot cannot be recreated. Published versions keep it.'
            : 'Versions that are published keep it.'}
        </DeleteDialog>
      )}
    </ReportParts>
  );
}

type SaveState = { isPending: boolean; error: Error | null };

type PartProps = {
  block: Block;
  place: { index: number; of: number; busy: boolean };
  writing: boolean;
  page: SnapshotFrame;
  live: ReactNode;
  keep: SaveState;
  /** What was written of it before the page was left. */
  left: string | undefined;
  onType: (markdown: string) => void;
  onWrite: (on: boolean) => void;
  onKeep: (words: { markdown?: string; title?: string; note?: string }) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
  drag: { onDragStart: (event: DragEvent) => void; onDragEnd: () => void };
  drop: object;
};

function Part(props: PartProps) {
  const { block, writing, page, keep, left, onType, onWrite, onKeep, drop } = props;
  const stop = () => {
    onWrite(false);
  };
  const controls = <PartControls {...props} />;
  if (block.kind === 'text')
    return (
      <section className={classes.prose} aria-label={`Part ${props.place.index + 1}`} {...drop}>
        {writing ? (
          <TextForm
            text={left ?? block.markdown}
            keep={keep}
            onType={onType}
            onKeep={(markdown) => {
              onKeep({ markdown });
            }}
            onCancel={stop}
          />
        ) : (
          <>
            <div className={classes.proseControls}>{controls}</div>
            <Markdown text={block.markdown} headings={2} />
          </>
        )}
      </section>
    );
  return (
    <section
      id={partId(block)}
      tabIndex={-1}
      className={classes.view}
      aria-label={block.title}
      {...drop}
    >
      {writing ? (
        <CaptionForm block={block} keep={keep} onKeep={onKeep} onCancel={stop} />
      ) : (
        <ViewCaption
          title={block.title}
          note={block.note}
          frozenAt={block.captured_at}
          controls={controls}
        />
      )}
      <div className={classes.page}>{page(block)}</div>
    </section>
  );
}

function PartControls({ block, place, live, onWrite, onMove, onRemove, drag }: PartProps) {
  const { index, of, busy } = place;
  const named = block.kind === 'snapshot' ? block.title : `text, part ${index + 1}`;
  const press = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || !event.altKey) return;
    event.preventDefault();
    if (!busy) onMove(index + step);
  };
  return (
    <span className={classes.controls} onKeyDown={press}>
      {live}
      <span className={classes.handle} draggable title="Drag to move" aria-hidden {...drag}>
        ⠿
      </span>
      <Button
        size="compact-xs"
        disabled={busy || index === 0}
        title={index === 0 ? 'Already first' : 'Alt and arrow keys move too'}
        aria-label={`Move up: ${named}`}
        onClick={() => {
          onMove(index - 1);
        }}
      >
        Up
      </Button>
      <Button
        size="compact-xs"
        disabled={busy || index === of - 1}
        title={index === of - 1 ? 'Already last' : 'Alt and arrow keys move too'}
        aria-label={`Move down: ${named}`}
        onClick={() => {
          onMove(index + 1);
        }}
      >
        Down
      </Button>
      <Button
        size="compact-xs"
        disabled={busy}
        aria-label={`${block.kind === 'snapshot' ? 'Caption' : 'Edit'}: ${named}`}
        onClick={() => {
          onWrite(true);
        }}
      >
        {block.kind === 'snapshot' ? 'Caption' : 'Edit'}
      </Button>
      <Button size="compact-xs" disabled={busy} aria-label={`Remove: ${named}`} onClick={onRemove}>
        Remove
      </Button>
    </span>
  );
}

type FormProps = { keep: SaveState; onCancel: () => void };

function Buttons({ keep, onCancel, blocked }: FormProps & { blocked?: string }) {
  return (
    <>
      {keep.error && <ErrorState compact what="Could not save the block" error={keep.error} />}
      <div className={classes.buttons}>
        <Button
          type="submit"
          variant="filled"
          loading={keep.isPending}
          disabled={!!blocked}
          title={blocked}
        >
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </>
  );
}

type TextFormProps = FormProps & {
  text?: string;
  onType: (markdown: string) => void;
  onKeep: (markdown: string) => void;
};

function TextForm({ text = '', keep, onType, onKeep, onCancel }: TextFormProps) {
  const [markdown, setMarkdown] = useState(text);
  return (
    <form
      className={classes.writing}
      onSubmit={(event) => {
        event.preventDefault();
        onKeep(markdown);
      }}
    >
      <div className={classes.both}>
        <Textarea
          label="Text"
          description="Markdown: **bold**, `code`, lists, tables, links"
          rows={10}
          maxLength={100_000}
          autoFocus
          value={markdown}
          onChange={(event) => {
            setMarkdown(event.currentTarget.value);
            onType(event.currentTarget.value);
          }}
        />
        <div role="group" aria-label="Preview" className={classes.preview}>
          {markdown.trim() === '' ? (
            <p className="muted">Preview</p>
          ) : (
            <Markdown text={markdown} headings={2} />
          )}
        </div>
      </div>
      <Buttons
        keep={keep}
        onCancel={onCancel}
        blocked={markdown.trim() === '' ? 'Enter some text' : undefined}
      />
    </form>
  );
}

type CaptionFormProps = FormProps & {
  block: Extract<Block, { kind: 'snapshot' }>;
  onKeep: (words: { title: string; note: string }) => void;
};

function CaptionForm({ block, keep, onKeep, onCancel }: CaptionFormProps) {
  const [title, setTitle] = useState(block.title);
  const [note, setNote] = useState(block.note);
  return (
    <form
      className={classes.writing}
      onSubmit={(event) => {
        event.preventDefault();
        onKeep({ title: title.trim(), note });
      }}
    >
      <TextInput
        label="Title"
        value={title}
        maxLength={200}
        autoFocus
        onChange={(event) => {
          setTitle(event.currentTarget.value);
        }}
      />
      <Textarea
        label="Caption"
        description="Markdown"
        rows={3}
        maxLength={10_000}
        value={note}
        onChange={(event) => {
          setNote(event.currentTarget.value);
        }}
      />
      <Buttons
        keep={keep}
        onCancel={onCancel}
        blocked={title.trim() === '' ? 'Enter a title' : undefined}
      />
    </form>
  );
}
