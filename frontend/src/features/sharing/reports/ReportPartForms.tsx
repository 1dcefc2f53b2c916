/**
 * The forms of a report's parts: the text of a text block, and the title and caption of a snapshot.
 */
import { Button, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { ErrorState, Markdown, onText } from '../../../ui';
import type { Block } from './report-types';
import classes from './reports.module.css';

export type SaveState = { isPending: boolean; error: Error | null };

type FormProps = { saving: SaveState; onCancel: () => void };

function Buttons({ saving, onCancel, blocked }: FormProps & { blocked?: string }) {
  return (
    <>
      {saving.error && <ErrorState compact what="Could not save the block" error={saving.error} />}
      <div className={classes.buttons}>
        <Button
          type="submit"
          variant="filled"
          loading={saving.isPending}
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
  onSave: (markdown: string) => void;
};

export function TextForm({ text = '', saving, onType, onSave, onCancel }: TextFormProps) {
  const [markdown, setMarkdown] = useState(text);
  return (
    <form
      className={classes.writing}
      onSubmit={(event) => {
        event.preventDefault();
        onSave(markdown);
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
        saving={saving}
        onCancel={onCancel}
        blocked={markdown.trim() === '' ? 'Enter some text' : undefined}
      />
    </form>
  );
}

type CaptionFormProps = FormProps & {
  block: Extract<Block, { kind: 'snapshot' }>;
  onSave: (caption: { title: string; note: string }) => void;
};

export function CaptionForm({ block, saving, onSave, onCancel }: CaptionFormProps) {
  const [title, setTitle] = useState(block.title);
  const [note, setNote] = useState(block.note);
  return (
    <form
      className={classes.writing}
      onSubmit={(event) => {
        event.preventDefault();
        onSave({ title: title.trim(), note });
      }}
    >
      <TextInput
        label="Title"
        value={title}
        maxLength={200}
        autoFocus
        onChange={onText(setTitle)}
      />
      <Textarea
        label="Caption"
        description="Markdown"
        rows={3}
        maxLength={10_000}
        value={note}
        onChange={onText(setNote)}
      />
      <Buttons
        saving={saving}
        onCancel={onCancel}
        blocked={title.trim() === '' ? 'Enter a title' : undefined}
      />
    </form>
  );
}
