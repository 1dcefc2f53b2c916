/** The form of the title of a new or existing report. */
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Report } from '../../../api';
import { FormBody, FormDialog, onText } from '../../../ui';

type TitleProps = {
  /** The texts of the button and the heading: "Change title". */
  words: { head: string; submit: string; failed: string };
  title: string;
  save: (title: string) => Promise<Report>;
  onSaved: (report: Report) => void;
  onClose: () => void;
};

export function ReportTitleForm({ words, ...form }: TitleProps) {
  return (
    <FormDialog title={words.head} onClose={form.onClose}>
      <Fields words={words} {...form} />
    </FormDialog>
  );
}

function Fields({ words, title: before, save: change, onSaved, onClose }: TitleProps) {
  const client = useQueryClient();
  const [title, setTitle] = useState(before);
  const saving = useMutation({
    mutationFn: () => change(title.trim()),
    onSuccess: onSaved,
    onSettled: () => client.invalidateQueries({ queryKey: ['report'] }),
  });
  return (
    <FormBody
      what={words.failed}
      submit={words.submit}
      save={saving}
      blocked={title.trim() === '' ? 'Enter a title' : undefined}
      onCancel={onClose}
    >
      <TextInput
        label="Title"
        value={title}
        maxLength={200}
        data-autofocus
        onChange={onText(setTitle)}
      />
    </FormBody>
  );
}
