/** The running import, or the result of the last one: what it imported, what it omitted and why. */
import { Progress } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Job, MetricSource } from '../../../api';
import { ErrorState, RowLine, StateIcon, countText, type Glyph } from '../../../ui';
import { cancelJob } from '../../platform/jobs';
import classes from './sources.module.css';
import { importedText, coarserText, intervalText, stepText } from './metric-source-wording';

type GoingProps = { source: MetricSource; job: Job; mayManage: boolean };

export function RunningImport({ source, job, mayManage }: GoingProps) {
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelJob(job.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['job'] }),
  });
  const percent = Math.round(job.progress * 100);
  return (
    <RowLine>
      <StateIcon glyph={job.state === 'running' ? 'running' : 'waiting'}>importing</StateIcon>
      <Progress
        className={classes.progress}
        value={percent}
        aria-label={`Import from ${source.name}, ${percent}%`}
      />
      <span>{percent}%</span>
      <span className={classes.step}>{stepText(job)}</span>
      {mayManage && (
        <button
          type="button"
          className="link"
          aria-label={`Cancel the import from ${source.name}`}
          disabled={job.cancel_requested || cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Cancel
        </button>
      )}
      {job.problem && <span className="t2">{job.problem.detail}</span>}
      {cancel.error && (
        <ErrorState compact what="Could not cancel the import" error={cancel.error} />
      )}
    </RowLine>
  );
}

const ENDINGS: Record<string, [Glyph, string]> = {
  done: ['done', 'imported'],
  failed: ['failed', 'import failed'],
  cancelled: ['ended', 'import cancelled'],
};

export function LastImport({ ended }: { ended: MetricSource['last_import'] }) {
  if (!ended) return <p className="muted">No imports yet.</p>;
  const [glyph, word] = ENDINGS[ended.state] ?? ['ended', ended.state];
  const brought = importedText(ended);
  const left = ended.skipped ?? [];
  return (
    <>
      <RowLine>
        <StateIcon glyph={glyph}>{word}</StateIcon>
        {brought && <span>{brought}</span>}
        <span className="muted">{intervalText(ended.from_ms, ended.to_ms)}</span>
      </RowLine>
      {ended.detail && <p className={ended.state === 'failed' ? 'err' : 'muted'}>{ended.detail}</p>}
      {ended.downsampled && (
        <p className="t2">
          {coarserText(ended.downsampled)}
          <span className="muted"> · {ended.downsampled.reason}</span>
        </p>
      )}
      {left.length > 0 && (
        <ul className={classes.left} aria-label="Skipped">
          {left.map(({ metric: what, count, detail }) => (
            <li key={what}>
              skipped {countText(count)} × <span className="mono">{what}</span>
              <span className="muted"> · {detail}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
