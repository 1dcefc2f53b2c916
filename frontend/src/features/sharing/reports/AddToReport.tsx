/** Adds a snapshot of the current page to an existing or a new report. */
import { Button, Radio, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Report } from '../../../api';
import { ErrorState, FormBody, FormDialog, SkeletonRows, countOf, onText } from '../../../ui';
import { createSnapshot, waitUntilLoaded } from './create-snapshot';
import { createReport, deleteReport, reportsQuery } from './report-queries';
import classes from './reports.module.css';
import '../../../ui/radio-styles';

export type AddToReportProps = {
  /** Changes the page to one that stays the same: a range until now becomes a fixed range. */
  hold?: () => Promise<void>;
  /** Returns the path of the page below its team's, called after `hold`. */
  path: () => string;
  /** Returns requests to record although their views are not open. */
  also?: () => Promise<readonly string[]>;
  /** For a part of the page: its title, and the button that adds it. */
  part?: { title: string; button: (open: () => void) => ReactNode };
  reportLink: (id: string, words: ReactNode) => ReactNode;
};

const TITLE_MOST = 200;
/** The number of reports that are offered; older ones are on the page of reports. */
const OFFERED = 6;
const NEW = 'new';

/**
 * Returns the title of the page, for the new part, and its main heading, for the name of a new
 * report.
 */
const named = () => {
  const title = document.title.replace(/ · Slowpath$/u, '').slice(0, TITLE_MOST);
  const sentence = document.querySelector('main h1')?.textContent.trim() ?? title;
  return { title, sentence: sentence.slice(0, TITLE_MOST) };
};

type Filled = { title: string; isNew: boolean; name: string; isRead: boolean };

/** Returns the reason why the page cannot be added yet. */
function blockedBy({ title, isNew, name, isRead }: Filled): string | undefined {
  if (title.trim() === '') return 'Enter a title';
  if (!isRead) return 'Loading reports';
  return isNew && name.trim() === '' ? 'Enter a name for the new report' : undefined;
}

export default function AddToReport(props: AddToReportProps) {
  const [snapshot, setSnapshot] = useState<ReturnType<typeof named> | null>(null);
  const { part } = props;
  const open = () => {
    const page = named();
    setSnapshot(part ? { ...page, title: part.title.slice(0, TITLE_MOST) } : page);
  };
  return (
    <>
      {part ? part.button(open) : <Button onClick={open}>Add to report</Button>}
      {snapshot !== null && (
        <FormDialog title="Add to report" onClose={() => setSnapshot(null)}>
          <Choice {...props} snapshot={snapshot} onClose={() => setSnapshot(null)} />
        </FormDialog>
      )}
    </>
  );
}

type ChoiceProps = AddToReportProps & { snapshot: ReturnType<typeof named>; onClose: () => void };

function Choice({ hold, path, also, reportLink, snapshot, onClose }: ChoiceProps) {
  const client = useQueryClient();
  const reports = useInfiniteQuery(reportsQuery());
  const offered = (reports.data?.pages[0]?.items ?? []).slice(0, OFFERED);
  const [title, setTitle] = useState(snapshot.title);
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState(snapshot.sentence);
  const into = chosen ?? offered[0]?.id ?? NEW;
  const add = useMutation({
    mutationFn: async (): Promise<Pick<Report, 'id' | 'title'> & { left_out: number }> => {
      await hold?.();
      await waitUntilLoaded(client);
      const page = { title: title.trim(), path: path(), also: (await also?.()) ?? [] };
      const known = offered.find(({ id }) => id === into);
      if (known) return { ...known, left_out: await createSnapshot(client, known.id, page) };
      const made = await createReport(name.trim());
      try {
        return { ...made, left_out: await createSnapshot(client, made.id, page) };
      } catch (error) {
        // An empty report is not useful. If its deletion fails too, only the first error is shown.
        await deleteReport(made.id).catch(() => undefined);
        throw error;
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['report'] }),
  });
  if (add.data)
    return (
      <div className={classes.done} role="status">
        <p>
          Snapshot added. It is the last part of {reportLink(add.data.id, add.data.title)} and does
          not change, even if its artifacts are deleted.
        </p>
        {add.data.left_out > 0 && (
          <p className="t2">
            {countOf(add.data.left_out, 'more item')} of this page{' '}
            {add.data.left_out === 1 ? 'exceeds' : 'exceed'} the limit of a snapshot and{' '}
            {add.data.left_out === 1 ? 'is' : 'are'} shown as missing.
          </p>
        )}
        <Button onClick={onClose}>Back to the page</Button>
      </div>
    );
  return (
    <FormBody
      what="Could not add the page"
      submit="Add snapshot"
      save={add}
      blocked={blockedBy({ title, isNew: into === NEW, name, isRead: !reports.isPending })}
      onCancel={onClose}
    >
      <TextInput
        label="Title in the report"
        value={title}
        maxLength={TITLE_MOST}
        data-autofocus
        onChange={onText(setTitle)}
      />
      {reports.isPending && <SkeletonRows rows={2} label="Loading reports" />}
      {reports.error && (
        <ErrorState compact what="Could not load the reports" error={reports.error} />
      )}
      {reports.data && (
        <Radio.Group label="Report" value={into} onChange={setChosen}>
          <div className={classes.choices}>
            {offered.map((report) => (
              <Radio
                key={report.id}
                value={report.id}
                label={report.title}
                description={countOf(report.blocks.length, 'part')}
              />
            ))}
            <Radio value={NEW} label="New report" />
          </div>
        </Radio.Group>
      )}
      {into === NEW && (
        <TextInput
          label="Name of the new report"
          value={name}
          maxLength={TITLE_MOST}
          onChange={onText(setName)}
        />
      )}
    </FormBody>
  );
}
