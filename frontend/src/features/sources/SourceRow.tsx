/** One source: where it is, what it answered, what came of it, and what can be done with it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job, MetricSource, SourceChecked } from '../../api';
import {
  ErrorState,
  CREDENTIALS,
  ListRow,
  RowAct,
  RowActs,
  RowLine,
  RowName,
  StateGlyph,
  Time,
} from '../../ui';
import { ImportForm } from './ImportForm';
import { ImportGoing, LastImport } from './ImportState';
import { ReadThroughForm, ReadThroughList } from './ReadThrough';
import { checkQuery } from './queries';
import classes from './sources.module.css';
import { checkText } from './wording';

type RowProps = {
  source: MetricSource;
  job: Job | undefined;
  mayManage: boolean;
  onEdit: () => void;
  onDelete: () => void;
};

export function SourceRow({ source, job, mayManage, onEdit, onDelete }: RowProps) {
  const [asking, setAsking] = useState<'import' | 'read-through' | null>(null);
  const done = () => {
    setAsking(null);
  };
  const check = useQuery(checkQuery(source.id));
  const goesOn = job ? 'An import goes on' : undefined;
  const named = (word: string) => `${word} ${source.name}`;
  return (
    <ListRow label={source.name}>
      <RowLine>
        <RowName>{source.name}</RowName>
        <span className={`mono ${classes.address}`}>{source.url}</span>
        <span className="muted">{CREDENTIALS[source.credentials]}</span>
        {mayManage && (
          <RowActs>
            <RowAct
              word="Check"
              label={named('Check')}
              loading={check.isFetching}
              onClick={() => void check.refetch()}
            />
            <RowAct
              word="Import"
              label={named('Import')}
              blocked={goesOn}
              onClick={() => {
                setAsking('import');
              }}
            />
            <RowAct
              word="Read through"
              label={named('Read through')}
              onClick={() => {
                setAsking('read-through');
              }}
            />
            <RowAct word="Edit" label={named('Edit')} onClick={onEdit} />
            <RowAct word="Delete" label={named('Delete')} blocked={goesOn} onClick={onDelete} />
          </RowActs>
        )}
      </RowLine>
      <CheckState source={source} />
      {asking === 'import' && !job && <ImportForm source={source} onDone={done} />}
      {asking === 'read-through' && <ReadThroughForm source={source} onDone={done} />}
      {job ? (
        <ImportGoing source={source} job={job} mayManage={mayManage} />
      ) : (
        <LastImport ended={source.last_import} />
      )}
      <ReadThroughList source={source} mayManage={mayManage} />
    </ListRow>
  );
}

/** What answered when the source was last asked, by anybody, or why nothing did. */
function CheckState({ source }: { source: MetricSource }) {
  const { data, error, isFetching, dataUpdatedAt } = useQuery(checkQuery(source.id));
  if (isFetching)
    return (
      <p className="muted" role="status">
        asking what answers there
      </p>
    );
  if (error) return <ErrorState compact what="The check did not get through" error={error} />;
  const last = source.last_check;
  if (data) return <Answered {...data} at_ms={dataUpdatedAt} />;
  if (!last) return null;
  if (last.names == null)
    return (
      <RowLine role="status">
        <StateGlyph glyph="failed">check failed</StateGlyph>
        {last.detail && <span className="err">{last.detail}</span>}
        <CheckedAt at_ms={last.at_ms} />
      </RowLine>
    );
  const { version = null, names, usual = [], at_ms } = last;
  return <Answered version={version} names={names} usual={usual} at_ms={at_ms} />;
}

function CheckedAt({ at_ms }: { at_ms: number }) {
  return (
    <span className="muted">
      <Time at={new Date(at_ms).toISOString()} />
    </span>
  );
}

function Answered({ at_ms, ...checked }: SourceChecked & { at_ms: number }) {
  const { usual } = checked;
  return (
    <>
      <RowLine role="status">
        <StateGlyph glyph={usual.length > 0 ? 'done' : 'unsure'}>checked</StateGlyph>
        <span>{checkText(checked)}</span>
        <CheckedAt at_ms={at_ms} />
      </RowLine>
      {usual.length > 0 && (
        <details className={classes.usual}>
          <summary>Names that would be imported</summary>
          <p className="mono">{usual.join(', ')}</p>
        </details>
      )}
      {usual.length === 0 && (
        <p className="t2">A rule by hand makes a name one that is imported.</p>
      )}
    </>
  );
}
