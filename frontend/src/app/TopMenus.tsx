/** The menus of the top bar, loaded when one is first opened. */
import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { setCurrentTeam, type Session, type TeamMembership } from '../api';
import { signOut } from '../features/platform/accounts';
import { initialsOf, useFirstOpen } from '../ui';
import classes from './Shell.module.css';
import { NAVIGATION } from './navigation';

export function NarrowMenu({ team }: { team: string }) {
  const button = useFirstOpen();
  return (
    <Menu>
      <Menu.Target>
        <button ref={button} type="button" className={classes.menuButton}>
          Menu
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {NAVIGATION.map((place) => (
          <Menu.Item
            key={place.to}
            renderRoot={(props) => <Link to={place.to} params={{ team }} {...props} />}
          >
            {place.name}
          </Menu.Item>
        ))}
        <Menu.Item
          renderRoot={(props) => (
            <Link to="/t/$team/compare" params={{ team }} search={{}} {...props} />
          )}
        >
          Compare
        </Menu.Item>
        <Menu.Item
          renderRoot={(props) => (
            <Link to="/t/$team/activity" params={{ team }} search={{}} {...props} />
          )}
        >
          Activity
        </Menu.Item>
        <Menu.Item renderRoot={(props) => <Link to="/t/$team/jobs" params={{ team }} {...props} />}>
          Jobs
        </Menu.Item>
        <Menu.Item renderRoot={(props) => <Link to="/help" {...props} />}>Help</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const SCHEMES: { value: MantineColorScheme; name: string }[] = [
  { value: 'auto', name: 'System' },
  { value: 'light', name: 'Light' },
  { value: 'dark', name: 'Dark' },
];

function ThemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>Theme</Menu.Label>
      <Menu.RadioGroup
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
      >
        {SCHEMES.map(({ value, name }) => (
          <Menu.RadioItem key={value} value={value}>
            {name}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}

export function UserMenu({ team, session }: { team: TeamMembership; session: Session }) {
  const button = useFirstOpen();
  const navigate = useNavigate();
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async ({ provider_sign_out_url: there }) => {
      setCurrentTeam(null);
      client.clear();
      // A user of an identity provider is signed out there too, and then returns to the sign-in
      // page.
      if (there) window.location.assign(there);
      else await navigate({ to: '/sign-in', search: {} });
    },
  });
  const others = session.teams.filter(({ slug }) => slug !== team.slug);
  return (
    <Menu width={220}>
      <Menu.Target>
        <button
          ref={button}
          type="button"
          className={classes.me}
          aria-label={`${initialsOf(session.user.name)}, menu of ${session.user.name}`}
        >
          {initialsOf(session.user.name)}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.user.name} · {session.user.email}
        </Menu.Label>
        <Menu.Item
          renderRoot={(props) => (
            <Link
              to="/t/$team/settings"
              params={{ team: team.slug }}
              search={{ tab: 'account' }}
              {...props}
            />
          )}
        >
          Your account
        </Menu.Item>
        <Menu.Item
          renderRoot={(props) => (
            <Link
              to="/t/$team/settings"
              params={{ team: team.slug }}
              search={{ tab: 'members' }}
              {...props}
            />
          )}
        >
          Settings of {team.name}
        </Menu.Item>
        <Menu.Item
          renderRoot={(props) => (
            <Link to="/t/$team/setup" params={{ team: team.slug }} {...props} />
          )}
        >
          Set up a service
        </Menu.Item>
        <Menu.Item
          renderRoot={(props) => (
            <Link to="/t/$team/activity" params={{ team: team.slug }} search={{}} {...props} />
          )}
        >
          Activity
        </Menu.Item>
        <Menu.Item
          renderRoot={(props) => (
            <Link to="/t/$team/jobs" params={{ team: team.slug }} {...props} />
          )}
        >
          Jobs
        </Menu.Item>
        <Menu.Item renderRoot={(props) => <Link to="/help" {...props} />}>Help</Menu.Item>
        <Menu.Divider />
        <Menu.Label>Team</Menu.Label>
        {others.map((other) => (
          <Menu.Item
            key={other.id}
            renderRoot={(props) => <Link to="/t/$team" params={{ team: other.slug }} {...props} />}
          >
            Switch to {other.name}
          </Menu.Item>
        ))}
        <Menu.Item renderRoot={(props) => <Link to="/new-team" {...props} />}>New team</Menu.Item>
        <Menu.Divider />
        <ThemeChoice />
        <Menu.Divider />
        <Menu.Item onClick={() => leave.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
