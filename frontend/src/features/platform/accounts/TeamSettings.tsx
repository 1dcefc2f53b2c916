import { Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { TeamMembership } from '../../../api';
import { ErrorState, Section, onText } from '../../../ui';
import classes from './Settings.module.css';
import { deleteTeam, renameTeam, requireSecondFactor, sessionQuery } from './account-queries';

type TeamProps = {
  team: TeamMembership;
  onRenamed: () => void;
  onGone: () => void;
};

/** Settings of the team: its name, further rules, and at the end its deletion. */
export function TeamSettings({
  team,
  onRenamed,
  onGone,
  children,
}: TeamProps & { children?: ReactNode }) {
  const client = useQueryClient();
  const [name, setName] = useState(team.name);
  const rename = useMutation({
    mutationFn: () => renameTeam(team.id, name.trim()),
    onSuccess: async (saved) => {
      setName(saved.name);
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      onRenamed();
    },
  });
  const owns = team.role === 'owner';
  return (
    <>
      <Section title="Team" narrow>
        <form
          className={classes.column}
          onSubmit={(event) => {
            event.preventDefault();
            rename.mutate();
          }}
        >
          <TextInput
            label="Name"
            required
            disabled={!owns}
            value={name}
            onChange={onText(setName)}
          />
          <TextInput
            label="URL name"
            description="Does not change with the name, so links keep working"
            disabled
            value={team.slug}
            classNames={{ input: 'mono' }}
          />
          {rename.error && <ErrorState compact error={rename.error} />}
          <Button
            type="submit"
            disabled={!owns || name.trim() === '' || name.trim() === team.name}
            title={owns ? undefined : 'Only owners can change the team'}
            loading={rename.isPending}
          >
            Save
          </Button>
        </form>
      </Section>
      <SecondFactorRule team={team} onChanged={onRenamed} />
      {children}
      {owns && <TeamDeletion team={team} onGone={onGone} />}
    </>
  );
}

/**
 * Whether members need a second factor. A sign-in at the identity provider counts as one with a
 * second factor.
 */
function SecondFactorRule({ team, onChanged }: { team: TeamMembership; onChanged: () => void }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (required: boolean) => requireSecondFactor(team.id, required),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      onChanged();
    },
  });
  return (
    <Section title="Second factor" narrow>
      <div className={classes.column}>
        <Checkbox
          label="Members need a second factor"
          description="Others see a page that sets one up. Tokens are not affected."
          disabled={team.role !== 'owner'}
          checked={change.isPending ? change.variables : team.requires_second_factor}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
        {change.error && <ErrorState compact error={change.error} />}
      </div>
    </Section>
  );
}

/** Deletes the team, after the user has entered its slug. */
function TeamDeletion({ team, onGone }: Omit<TeamProps, 'onRenamed'>) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const end = useMutation({
    mutationFn: () => deleteTeam(team.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      onGone();
    },
  });
  const ask = () => {
    setTyped('');
    end.reset();
    setAsking(true);
  };
  return (
    <>
      <Section title="Delete team" narrow>
        <div className={classes.column}>
          <p>
            Deletes all artifacts, comparisons, reports, metrics, tokens and the audit log. The team
            is closed immediately. An owner can restore it under Your account for 12 hours; then all
            data is erased within a day of the deletion.
          </p>
          <Button onClick={ask}>Delete {team.name}</Button>
        </div>
      </Section>
      <Modal
        opened={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${team.name}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <TextInput
          label={`Type ${team.slug} to confirm`}
          data-autofocus
          value={typed}
          onChange={onText(setTyped)}
        />
        <p>
          The team is closed immediately. An owner can restore it for 12 hours; then it is
          permanently erased.
        </p>
        {end.error && <ErrorState compact error={end.error} />}
        <div className={classes.buttons}>
          <Button onClick={() => setAsking(false)}>Cancel</Button>
          <Button
            variant="filled"
            disabled={typed !== team.slug}
            loading={end.isPending}
            onClick={() => end.mutate()}
          >
            Delete team
          </Button>
        </div>
      </Modal>
    </>
  );
}
