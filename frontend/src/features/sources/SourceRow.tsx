/** One source: where it is, what it answered, what came of it, and what can be done with it. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job, MetricSource } from '../../api';
import { StateGlyph, Time } from '../../ui';
import { ImportForm } from './ImportForm';
import { ImportGoing, LastImport } from './ImportState';
import { SourceProblem } from './SourceProblem';
import { checkQuery } from './queries';
import classes from './sources.module.css';
import { CREDENTIALS, checkText } from './wording';

type RowProps = {
  source: MetricSource;
  job: Job | undefined;
  mayManage: boolean;
  onEdit: () => void;
  onDelete: () => void;
};

export function SourceRow({ source, job, mayManage, onEdit, onDelete }: RowProps) {
  const [importing, setImporting] = useState(false);
  const check = useQuery(checkQuery(source.id));
  const goesOn = job ? 'An import goes on' : undefined;
  const act = (word: string, onClick: () => void, why?: string, loading = false) => (
    <Button
      size="compact-xs"
      aria-label={`${word} ${source.name}`}
      disabled={why !== undefined}
      title={why}
      loading={loading}
      onClick={onClick}
    >
      {word}
    </Button>
  );
  return (
    <li className={classes.row} aria-label={source.name}>
      <div className={classes.line}>
        <b className={classes.name}>{source.name}</b>
        <span className={`mono ${classes.address}`}>{source.url}</span>
        <span className="muted">{CREDENTIALS[source.credentials]}</span>
        <span className="grow" />
        {mayManage && (
          <span className={classes.acts}>
            {act('Check', () => void check.refetch(), undefined, check.isFetching)}
            {act(
              'Import',
              () => {
                setImporting(true);
              },
              goesOn,
            )}
            {act('Edit', onEdit)}
            {act('Delete', onDelete, goesOn)}
          </span>
        )}
      </div>
      {mayManage && <CheckState source={source} />}
      {importing && !job && (
        <ImportForm
          source={source}
          onDone={() => {
            setImporting(false);
          }}
        />
      )}
      {job ? (
        <ImportGoing source={source} job={job} mayManage={mayManage} />
      ) : (
        <LastImport ended={source.last_import} />
      )}
    </li>
  );
}

/** What answered when the source was last asked from this page, or why nothing did. */
function CheckState({ source }: { source: MetricSource }) {
  const { data, error, isFetching, dataUpdatedAt } = useQuery(checkQuery(source.id));
  if (isFetching)
    return (
      <p className="muted" role="status">
        asking what answers there
      </p>
    );
  if (error) return <SourceProblem what="The check did not get through" error={error} />;
  if (!data) return null;
  return (
    <>
      <div className={classes.line} role="status">
        <StateGlyph glyph={data.usual.length > 0 ? 'done' : 'unsure'}>checked</StateGlyph>
        <span>{checkText(data)}</span>
        <span className="muted">
          <Time at={new Date(dataUpdatedAt).toISOString()} />
        </span>
      </div>
      {data.usual.length > 0 && (
        <details className={classes.usual}>
          <summary>Names that would be imported</summary>
          <p className="mono">{data.usual.join(', ')}</p>
        </details>
      )}
      {data.usual.length === 0 && (
        <p className="t2">A rule by hand makes a name one that is imported.</p>
      )}
    </>
  );
}
