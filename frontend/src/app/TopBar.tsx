import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { askAs, type Session, type TeamMembership } from '../api';
import { signOut } from '../features/accounts';
import { Inbox } from '../features/discussions';
import { JobsIndicator } from '../features/work';
import { JumpField } from './JumpField';
import classes from './Shell.module.css';

/** The places that exist. Others join when they are built: a link that leads nowhere is worse than none. */
const PLACES = [
  { name: 'Board', to: '/t/$team/board' },
  { name: 'Regressions', to: '/t/$team/regressions' },
  { name: 'Comparisons', to: '/t/$team/comparisons' },
  { name: 'Bisects', to: '/t/$team/bisects' },
  { name: 'Reports', to: '/t/$team/reports' },
  { name: 'Files', to: '/t/$team/files' },
  { name: 'Services', to: '/t/$team/services' },
] as const;

export function TopBar({ team, session }: { team: TeamMembership; session: Session }) {
  const router = useRouter();
  return (
    <header className={classes.top}>
      <Link to="/t/$team" params={{ team: team.slug }} className={classes.brand}>
        Slowpath
      </Link>
      <div className={classes.context}>
        <b className="cut">{team.name}</b>
      </div>
      <nav className={classes.nav} aria-label="Main">
        {PLACES.map((place) => (
          <Link
            key={place.to}
            to={place.to}
            params={{ team: team.slug }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {place.name}
          </Link>
        ))}
      </nav>
      <span className={classes.space} />
      <JobsIndicator
        link={(words) => (
          <Link to="/t/$team/jobs" params={{ team: team.slug }} className="muted">
            {words}
          </Link>
        )}
      />
      <JumpField team={team.slug} />
      <Inbox
        onOpen={(path) => {
          router.history.push(`/t/${team.slug}${path}`);
        }}
      />
      <UserMenu team={team} session={session} />
      <NarrowMenu team={team.slug} />
    </header>
  );
}

function NarrowMenu({ team }: { team: string }) {
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className={classes.menuButton}>
          Menu
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {PLACES.map((place) => (
          <Menu.Item
            key={place.to}
            renderRoot={(props) => <Link to={place.to} params={{ team }} {...props} />}
          >
            {place.name}
          </Menu.Item>
        ))}
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
      </Menu.Dropdown>
    </Menu>
  );
}

const SCHEMES: { value: MantineColorScheme; name: string }[] = [
  { value: 'auto', name: 'As the system' },
  { value: 'light', name: 'Light' },
  { value: 'dark', name: 'Dark' },
];

/** Two letters for a person: of the first and the last name. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u);
  const letters = [words[0], words.length > 1 ? words[words.length - 1] : undefined].map(
    (word) => Array.from(word ?? '')[0] ?? '',
  );
  return letters.join('').toUpperCase() || '?';
}

function UserMenu({ team, session }: { team: TeamMembership; session: Session }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const navigate = useNavigate();
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async ({ continue_at: there }) => {
      askAs(null);
      client.clear();
      // Whoever signed in elsewhere is signed out there, too, and comes back to the page of signing in.
      if (there) window.location.assign(there);
      else await navigate({ to: '/sign-in', search: {} });
    },
  });
  const others = session.teams.filter(({ slug }) => slug !== team.slug);
  return (
    <Menu width={220}>
      <Menu.Target>
        <button
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
        <Menu.Label>Colours</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => {
            setColorScheme(scheme as MantineColorScheme);
          }}
        >
          {SCHEMES.map(({ value, name }) => (
            <Menu.RadioItem key={value} value={value}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item
          onClick={() => {
            leave.mutate();
          }}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
