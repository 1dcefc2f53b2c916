/**
 * One file of the drawer: name, kind and progress; after a failure the reason, what was stored, and
 * the next action.
 */
import { Button, Menu, NumberInput, Progress } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Artifact, ProblemDetails } from '../../../api';
import { Timestamp, countText, sizeText, describeError } from '../../../ui';
import classes from './Drawer.module.css';
import { originalAddress, retryArtifact } from './artifact-queries';
import { mayPass, tray } from './tray-store';
import type { TrayItem } from './tray-types';
import { ITEM_TYPE } from './drag-type';
import { describe, stateText } from './artifact-wording';
import { folderOf } from './tray-items';

type FileProps = {
  item: TrayItem;
  artifact: Artifact | null;
  siblings: TrayItem[];
  selected: boolean;
  onToggle: (range: boolean) => void;
};

export function UploadDrawerRow({ item, artifact, siblings, selected, onToggle }: FileProps) {
  const [asking, setAsking] = useState(false);
  const bad =
    item.phase === 'stopped' || artifact?.state === 'invalid' || artifact?.state === 'failed';
  const served = item.facts.requests ?? artifact?.run_metadata.requests;
  const requests = typeof served === 'number' ? served : null;
  return (
    <li
      className={bad ? classes.bad : classes.file}
      data-item={item.key}
      data-selected={selected || undefined}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(ITEM_TYPE, item.key);
        event.dataTransfer.effectAllowed = 'move';
      }}
    >
      <input
        type="checkbox"
        className={classes.check}
        checked={selected}
        aria-label={`Select ${item.path}`}
        onChange={(event) => onToggle((event.nativeEvent as MouseEvent).shiftKey)}
      />
      <span className={classes.name} title={item.path}>
        {artifact?.name ?? item.name}
      </span>
      <span className={classes.state}>{stateOf(item, artifact)}</span>
      {bad ? (
        <Failure item={item} artifact={artifact} />
      ) : (
        <span className={classes.kind}>
          {artifact ? describe(artifact) : 'type detected from content'}
          <FilePlace item={item} />
          {requests !== null && <> · {countText(requests)} requests</>}
        </span>
      )}
      <span className={classes.menu}>
        <FileMenu item={item} onRequests={() => setAsking(true)} />
      </span>
      {!bad && <Bar item={item} artifact={artifact} />}
      {!bad && item.error != null && (
        <p className={classes.why} role="alert">
          Could not save the run metadata: {describeError(item.error).detail}
        </p>
      )}
      {asking && (
        <Requests
          item={item}
          siblings={siblings}
          known={requests}
          onDone={() => setAsking(false)}
        />
      )}
    </li>
  );
}

/** The folder, time and size, which distinguish files with the same name. */
function FilePlace({ item }: { item: TrayItem }) {
  const folder = folderOf(item.path);
  return (
    <span className={classes.place}>
      {folder !== '' && <span className="mono">{folder}</span>}
      {item.modified > 0 && <Timestamp at={new Date(item.modified).toISOString()} exact />}
      <span>{sizeText(item.sizeBytes)}</span>
    </span>
  );
}

function stateOf(item: TrayItem, artifact: Artifact | null): string {
  if (item.phase === 'stopped') return 'stopped';
  if (item.phase === 'waiting') return 'waiting';
  if (item.phase === 'sending') return `${sizeText(item.sentBytes)} of ${sizeText(item.sizeBytes)}`;
  return artifact ? stateText(artifact) : 'received';
}

function Bar({ item, artifact }: { item: TrayItem; artifact: Artifact | null }) {
  const sending = item.phase === 'sending';
  if (!sending && artifact?.state !== 'decoding') return null;
  const done = sending ? item.sentBytes / Math.max(1, item.sizeBytes) : (artifact?.progress ?? 0);
  const percent = Math.round(done * 100);
  return (
    <Progress className={classes.bar} value={percent} aria-label={`${item.name}: ${percent}%`} />
  );
}

function Failure({ item, artifact }: { item: TrayItem; artifact: Artifact | null }) {
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: retryArtifact,
    onSettled: () => client.invalidateQueries({ queryKey: ['artifact'] }),
  });
  const problem: Partial<ProblemDetails> & { detail: string } =
    artifact?.error ?? describeError(item.error);
  return (
    <>
      <p className={classes.why} role="alert">
        {problem.detail} {problem.resolution}
        {artifact ? ' The original file is stored.' : ''}
      </p>
      {again.error && (
        <p className={classes.why} role="alert">
          Could not try again: {describeError(again.error).detail}
        </p>
      )}
      <div className={classes.ways}>
        {artifact && (
          <a className="link" href={originalAddress(artifact.id)} download>
            Download original
          </a>
        )}
        {artifact && (
          <button
            type="button"
            className="link"
            disabled={again.isPending}
            onClick={() => again.mutate(artifact.id)}
          >
            Try again
          </button>
        )}
        {!artifact && mayPass(item.error) && (
          <button type="button" className="link" onClick={() => tray.tryAgain(item.key)}>
            {item.sentBytes > 0 ? 'Resume upload' : 'Try again'}
          </button>
        )}
        <button type="button" className="link" onClick={() => tray.remove([item.key])}>
          Remove
        </button>
      </div>
      {problem.unit === 'bytes' && (problem.value ?? 0) > (problem.limit ?? Infinity) && (
        <details className={classes.hint}>
          <summary>How to record a smaller file</summary>
          <code className="mono">
            curl -o cpu.pb.gz &quot;http://HOST/debug/pprof/profile?seconds=10&quot;
          </code>
          <p>
            Record several short profiles instead of one long one: their variation determines the
            confidence interval.
          </p>
        </details>
      )}
    </>
  );
}

function FileMenu({ item, onRequests }: { item: TrayItem; onRequests: () => void }) {
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className="icon-button" aria-label={`Actions for ${item.name}`}>
          ⋯
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {item.side !== 'base' && (
          <Menu.Item onClick={() => tray.place([item.key], 'base')}>Move to base</Menu.Item>
        )}
        {item.side !== 'candidate' && (
          <Menu.Item onClick={() => tray.place([item.key], 'candidate')}>
            Move to candidate
          </Menu.Item>
        )}
        {item.side !== null && (
          <Menu.Item onClick={() => tray.place([item.key], null)}>Exclude</Menu.Item>
        )}
        <Menu.Item onClick={onRequests}>Requests during recording</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => tray.remove([item.key])}>Remove</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type RequestsProps = {
  item: TrayItem;
  siblings: TrayItem[];
  known: number | null;
  onDone: () => void;
};

/** A form for the number of requests during the recording, with which costs are per request. */
function Requests({ item, siblings, known, onDone }: RequestsProps) {
  const [value, setValue] = useState<number | string>(known ?? '');
  const give = (items: TrayItem[]) => {
    const requests = typeof value === 'number' && value > 0 ? value : null;
    for (const { key, facts } of items) tray.giveFacts(key, { ...facts, requests });
    onDone();
  };
  return (
    <form
      className={classes.requests}
      onSubmit={(event) => {
        event.preventDefault();
        give([item]);
      }}
    >
      <NumberInput
        label="Requests during recording"
        value={value}
        min={1}
        hideControls
        thousandSeparator=","
        data-autofocus
        autoFocus
        onChange={setValue}
      />
      <Button type="submit">Save</Button>
      {siblings.length > 1 && (
        <Button onClick={() => give(siblings)}>Apply to all {siblings.length}</Button>
      )}
      <Button variant="subtle" onClick={onDone}>
        Cancel
      </Button>
    </form>
  );
}
