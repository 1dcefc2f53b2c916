/** The diff of a commit by file. Lines are always rendered as text. */
import { memo } from 'react';
import type { CommitDiff, FileDiff } from '../../../api';
import { countOf } from '../../../ui';
import classes from './commits.module.css';
import { linesOf } from './diff-rows';
import { fileName, fileState } from './commit-wording';

const MARKS = { same: ' ', added: '+', removed: '−' } as const;

type DiffViewProps = { diff: CommitDiff };

export function DiffView({ diff }: DiffViewProps) {
  return (
    <>
      {diff.files.length === 0 && <p className="muted">No files changed.</p>}
      {diff.files.map((file, index) => (
        <FileView key={`${String(index)} ${file.new_path ?? ''}`} file={file} />
      ))}
      {diff.is_truncated && (
        <p className="t2">
          This diff is too large to show completely. Some files or lines are omitted.
        </p>
      )}
    </>
  );
}

const FileView = memo(function FileView({ file }: { file: FileDiff }) {
  const name = fileName(file);
  const state = fileState(file);
  return (
    <section className={classes.file} aria-label={name}>
      <h3 className={`mono ${classes.fileHead}`}>
        <bdi>{name}</bdi>
        {state && <span className="muted">{state}</span>}
      </h3>
      {file.hunks.length > 0 && (
        <div className={classes.code} tabIndex={0} role="group" aria-label={`Lines of ${name}`}>
          <table className="mono">
            <tbody>
              {file.hunks.map((hunk, index) => (
                <HunkRows key={index} hunk={hunk} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {file.left_out > 0 && (
        <p className={classes.left}>{countOf(file.left_out, 'more line')} are not shown.</p>
      )}
    </section>
  );
});

function HunkRows({ hunk }: { hunk: FileDiff['hunks'][number] }) {
  return (
    <>
      <tr className={classes.heading}>
        <td colSpan={4}>
          line {hunk.new_start} {hunk.heading && <bdi>· {hunk.heading}</bdi>}
        </td>
      </tr>
      {linesOf(hunk).map(({ kind, before, after, text }, index) => (
        <tr key={index} className={kind === 'same' ? undefined : classes[kind]}>
          <td className={classes.number}>{before}</td>
          <td className={classes.number}>{after}</td>
          <td className={classes.mark}>
            <span aria-hidden>{MARKS[kind]}</span>
            {kind !== 'same' && <span className="unseen">{kind}</span>}
          </td>
          <td>{text}</td>
        </tr>
      ))}
    </>
  );
}
