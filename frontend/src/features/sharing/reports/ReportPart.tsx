/** One part of a draft: with its controls, or in its form. */
import { Button } from '@mantine/core';
import type { DragEvent, KeyboardEvent, ReactNode } from 'react';
import { Markdown } from '../../../ui';
import { ViewCaption, partId, type SnapshotFrame } from './ReportBody';
import { CaptionForm, TextForm, type SaveState } from './ReportPartForms';
import type { Block } from './report-types';
import classes from './reports.module.css';

export type PartProps = {
  block: Block;
  place: { index: number; of: number; busy: boolean };
  writing: boolean;
  page: SnapshotFrame;
  live: ReactNode;
  saving: SaveState;
  /** Text of this part that was not saved before the user left the page. */
  unsaved: string | undefined;
  onType: (markdown: string) => void;
  onWrite: (on: boolean) => void;
  onSave: (fields: { markdown?: string; title?: string; note?: string }) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
  drag: { onDragStart: (event: DragEvent) => void; onDragEnd: () => void };
  drop: object;
};

export function ReportPart(props: PartProps) {
  const { block, writing, page, saving, unsaved, onType, onWrite, onSave, drop } = props;
  const stop = () => onWrite(false);
  const controls = <PartControls {...props} />;
  if (block.kind === 'text')
    return (
      <section className={classes.prose} aria-label={`Part ${props.place.index + 1}`} {...drop}>
        {writing ? (
          <TextForm
            text={unsaved ?? block.markdown}
            saving={saving}
            onType={onType}
            onSave={(markdown) => onSave({ markdown })}
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
        <CaptionForm block={block} saving={saving} onSave={onSave} onCancel={stop} />
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
        onClick={() => onMove(index - 1)}
      >
        Up
      </Button>
      <Button
        size="compact-xs"
        disabled={busy || index === of - 1}
        title={index === of - 1 ? 'Already last' : 'Alt and arrow keys move too'}
        aria-label={`Move down: ${named}`}
        onClick={() => onMove(index + 1)}
      >
        Down
      </Button>
      <Button
        size="compact-xs"
        disabled={busy}
        aria-label={`${block.kind === 'snapshot' ? 'Caption' : 'Edit'}: ${named}`}
        onClick={() => onWrite(true)}
      >
        {block.kind === 'snapshot' ? 'Caption' : 'Edit'}
      </Button>
      <Button size="compact-xs" disabled={busy} aria-label={`Remove: ${named}`} onClick={onRemove}>
        Remove
      </Button>
    </span>
  );
}
