/** The actions on a bisect. */
import { Button, Menu, Radio, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Bisect, BisectCandidate } from '../../../../api';
import { ErrorState, FormBody, FormDialog, onText } from '../../../../ui';
import { shortCommit } from '../../../../lib/commits';
import { ContinueBisect } from './ContinueBisect';
import { DeleteBisect } from './DeleteBisect';
import { SettingsFields } from '../shared/SettingsFields';
import classes from '../shared/bisects.module.css';
import {
  updateBisect,
  overrideCandidate,
  applyBisectAction,
  repeatProbe,
} from '../shared/bisect-queries';
import { editableSettings, changed, validateSettings } from '../shared/bisect-settings';
import { VERDICTS, isOpen, isWaitingAtBoundaries } from '../shared/bisect-wording';
import '../../../../ui/radio-styles';

type Props = {
  bisect: Bisect;
  /** The candidate that is selected in chart or table. */
  candidate: BisectCandidate | null;
  onDeleted: () => void;
};
type Move = 'pause' | 'resume' | 'cancel' | 'approve' | 'retry';
type Dialog = 'mark' | 'thresholds' | 'cancel' | 'delete';

export function BisectActions({ bisect, candidate, onDeleted }: Props) {
  const client = useQueryClient();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = () => setDialog(null);
  const again = () => client.invalidateQueries({ queryKey: ['bisect'] });
  const move = useMutation({
    mutationFn: (to: Move) => applyBisectAction(bisect.id, to),
    onSuccess: close,
    onSettled: again,
  });
  const anew = useMutation({
    mutationFn: (id: string) => repeatProbe(bisect.id, id),
    onSettled: again,
  });
  const error = move.error ?? anew.error;
  return (
    <>
      {isOpen(bisect) ? (
        <Open
          bisect={bisect}
          candidate={candidate}
          busy={move.isPending || anew.isPending}
          onMove={(to) => move.mutate(to)}
          onRemeasure={(id) => anew.mutate(id)}
          onDialog={setDialog}
        />
      ) : (
        <>
          {bisect.state === 'failed' && bisect.levels.length === 0 && (
            <Button variant="filled" loading={move.isPending} onClick={() => move.mutate('retry')}>
              Try again
            </Button>
          )}
          {bisect.state === 'stopped' && <ContinueBisect bisect={bisect} />}
          <Menu position="bottom-end">
            <Menu.Target>
              <Button>More</Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setDialog('delete')}>Delete bisect</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      )}
      {error && <ErrorState compact what="Could not save the changes" error={error} />}
      {dialog === 'mark' && candidate && (
        <FormDialog title={`Override the verdict of ${shortCommit(candidate.sha)}`} onClose={close}>
          <Mark bisect={bisect} candidate={candidate} onClose={close} />
        </FormDialog>
      )}
      {dialog === 'thresholds' && (
        <FormDialog title="Thresholds" size="lg" onClose={close}>
          <Thresholds bisect={bisect} onClose={close} />
        </FormDialog>
      )}
      {dialog === 'cancel' && (
        <FormDialog title={`Cancel bisect ${bisect.number}?`} onClose={close}>
          <FormBody
            what="Could not cancel the bisect"
            submit="Cancel bisect"
            save={{
              mutate: () => move.mutate('cancel'),
              isPending: move.isPending,
              error: move.error,
            }}
            onCancel={close}
          >
            <p>Its deployments are removed. Measurements stay, but the bisect cannot be resumed.</p>
          </FormBody>
        </FormDialog>
      )}
      {dialog === 'delete' && (
        <DeleteBisect bisect={bisect} onDeleted={onDeleted} onClose={close} />
      )}
    </>
  );
}

type OpenProps = {
  bisect: Bisect;
  candidate: BisectCandidate | null;
  busy: boolean;
  onMove: (move: Move) => void;
  onRemeasure: (id: string) => void;
  onDialog: (dialog: Dialog) => void;
};

function Open({ bisect, candidate, busy, onMove, onRemeasure, onDialog }: OpenProps) {
  const choose = candidate ? undefined : 'Select a candidate in the chart or the table first';
  const isMeasured = isWaitingAtBoundaries(bisect);
  return (
    <>
      {bisect.needs_approval && (
        <Button variant="filled" loading={busy} onClick={() => onMove('approve')}>
          Approve the next round
        </Button>
      )}
      <Button disabled={choose !== undefined} title={choose} onClick={() => onDialog('mark')}>
        Override verdict
      </Button>
      <Button
        disabled={choose !== undefined || busy}
        title={choose}
        onClick={() => {
          if (candidate) onRemeasure(candidate.id);
        }}
      >
        Add probe
      </Button>
      <Button onClick={() => onDialog('thresholds')}>Thresholds</Button>
      {isMeasured && (
        <Button disabled={busy} onClick={() => onMove('retry')}>
          Measure both ends again
        </Button>
      )}
      <Button
        disabled={busy}
        variant={isMeasured ? 'filled' : undefined}
        onClick={() => onMove(bisect.state === 'paused' ? 'resume' : 'pause')}
      >
        {isMeasured ? 'Search the candidates' : bisect.state === 'paused' ? 'Resume' : 'Pause'}
      </Button>
      <Button c="var(--err)" onClick={() => onDialog('cancel')}>
        Cancel
      </Button>
    </>
  );
}

const MARKS = ['slower', 'not-slower', 'unbuildable'] as const;

type DialogProps = { bisect: Bisect; onClose: () => void };

function Mark({ bisect, candidate, onClose }: DialogProps & { candidate: BisectCandidate }) {
  const client = useQueryClient();
  const [verdict, setVerdict] = useState<(typeof MARKS)[number]>('not-slower');
  const [reason, setReason] = useState('');
  const save = useMutation({
    mutationFn: () =>
      overrideCandidate(bisect.id, { candidate: candidate.id, verdict, reason: reason.trim() }),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['bisect'] }),
  });
  return (
    <FormBody
      what="Could not save the override"
      submit="Save override"
      save={save}
      blocked={reason.trim() === '' ? 'Enter a reason' : undefined}
      onCancel={onClose}
    >
      <p>
        {candidate.title}. An override counts as a measurement of this build without a deployment.
        It can be invalidated like one.
      </p>
      <Radio.Group label="Verdict" value={verdict} onChange={(next) => setVerdict(next)}>
        <div className={classes.choices}>
          {MARKS.map((one) => (
            <Radio
              key={one}
              value={one}
              label={one === 'unbuildable' ? 'not buildable' : VERDICTS[one]}
            />
          ))}
        </div>
      </Radio.Group>
      <TextInput
        label="Reason"
        maxLength={1000}
        data-autofocus
        value={reason}
        onChange={onText(setReason)}
      />
    </FormBody>
  );
}

function Thresholds({ bisect, onClose }: DialogProps) {
  const client = useQueryClient();
  const [before] = useState(() => editableSettings(bisect));
  const [after, setAfter] = useState(before);
  const save = useMutation({
    mutationFn: () => updateBisect(bisect.id, changed(before, after)),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['bisect'] }),
  });
  return (
    <FormBody
      what="Could not save the changes"
      submit="Save"
      save={save}
      blocked={validateSettings(after)}
      onCancel={onClose}
    >
      <SettingsFields value={after} onChange={setAfter} otherwise={before} />
      <p className="muted">Applies from the next deployment. Existing measurements stay.</p>
    </FormBody>
  );
}
