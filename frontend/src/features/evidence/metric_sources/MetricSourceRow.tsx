/** The row of one source: its URL, its connection check, its imports, and its actions. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job, MetricSource, SourceCheckOut } from '../../../api';
import {
  ErrorState,
  CREDENTIALS,
  ListRow,
  RowAction,
  RowActions,
  RowLine,
  RowName,
  RowText,
  StateIcon,
  Timestamp,
} from '../../../ui';
import { ImportForm } from './ImportForm';
import { RunningImport, LastImport } from './ImportStatus';
import { FederatedServiceForm, FederatedServices } from './FederatedServices';
import { sourceCheckQuery } from './metric-source-queries';
import classes from './sources.module.css';
import { checkText } from './metric-source-wording';

type RowProps = {
  source: MetricSource;
  job: Job | undefined;
  mayManage: boolean;
  onEdit: () => void;
  onDelete: () => void;
};

export function MetricSourceRow({ source, job, mayManage, onEdit, onDelete }: RowProps) {
  const [asking, setAsking] = useState<'import' | 'read-through' | null>(null);
  const done = () => setAsking(null);
  const check = useQuery(sourceCheckQuery(source.id));
  const running = job ? 'An import is running' : undefined;
  const named = (word: string) => `${word} ${source.name}`;
  return (
    <ListRow label={source.name}>
      <RowLine>
        <RowName>{source.name}</RowName>
        <RowText mono>{source.url}</RowText>
        <span className="muted">{CREDENTIALS[source.credentials]}</span>
        {mayManage && (
          <RowActions>
            <RowAction
              word="Check"
              label={named('Check')}
              loading={check.isFetching}
              onClick={() => void check.refetch()}
            />
            <RowAction
              word="Import"
              label={named('Import')}
              blocked={running}
              onClick={() => setAsking('import')}
            />
            <RowAction
              word="Query live"
              label={named('Query live')}
              onClick={() => setAsking('read-through')}
            />
            <RowAction word="Edit" label={named('Edit')} onClick={onEdit} />
            <RowAction word="Delete" label={named('Delete')} blocked={running} onClick={onDelete} />
          </RowActions>
        )}
      </RowLine>
      <CheckState source={source} />
      {asking === 'import' && !job && <ImportForm source={source} onDone={done} />}
      {asking === 'read-through' && <FederatedServiceForm source={source} onDone={done} />}
      {job ? (
        <RunningImport source={source} job={job} mayManage={mayManage} />
      ) : (
        <LastImport ended={source.last_import} />
      )}
      <FederatedServices source={source} mayManage={mayManage} />
    </ListRow>
  );
}

/** The result of the last connection check, or why it failed. */
function CheckState({ source }: { source: MetricSource }) {
  const { data, error, isFetching, dataUpdatedAt } = useQuery(sourceCheckQuery(source.id));
  if (isFetching)
    return (
      <p className="muted" role="status">
        checking the connection
      </p>
    );
  if (error) return <ErrorState compact what="Connection check failed" error={error} />;
  const last = source.last_check;
  if (data) return <Answered {...data} at_ms={dataUpdatedAt} />;
  if (!last) return null;
  if (last.names == null)
    return (
      <RowLine role="status">
        <StateIcon glyph="failed">check failed</StateIcon>
        {last.detail && <span className="err">{last.detail}</span>}
        <CheckedAt at_ms={last.at_ms} />
      </RowLine>
    );
  const { version = null, names, recognized_names = [], at_ms } = last;
  return (
    <Answered version={version} names={names} recognized_names={recognized_names} at_ms={at_ms} />
  );
}

function CheckedAt({ at_ms }: { at_ms: number }) {
  return (
    <span className="muted">
      <Timestamp at={new Date(at_ms).toISOString()} />
    </span>
  );
}

function Answered({ at_ms, ...checked }: SourceCheckOut & { at_ms: number }) {
  const { recognized_names: usual } = checked;
  return (
    <>
      <RowLine role="status">
        <StateIcon glyph={usual.length > 0 ? 'done' : 'unsure'}>checked</StateIcon>
        <span>{checkText(checked)}</span>
        <CheckedAt at_ms={at_ms} />
      </RowLine>
      {usual.length > 0 && (
        <details className={classes.usual}>
          <summary>Metrics to import</summary>
          <p className="mono">{usual.join(', ')}</p>
        </details>
      )}
      {usual.length === 0 && <p className="t2">Add a rule to import other metrics.</p>}
    </>
  );
}
