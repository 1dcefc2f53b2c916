import { Link, useRouter } from '@tanstack/react-router';
import { lazy } from 'react';
import type { Session, TeamMembership } from '../api';
import { Inbox } from '../features/discussions';
import { JobsIndicator } from '../features/work';
import { Late } from '../ui';
import { JumpField } from './JumpField';
import classes from './Shell.module.css';
import { PLACES, initialsOf } from './places';

const UserMenu = lazy(async () => ({ default: (await import('./TopMenus')).UserMenu }));
const NarrowMenu = lazy(async () => ({ default: (await import('./TopMenus')).NarrowMenu }));

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
      <Late
        button={(onPress) => (
          <button
            type="button"
            className={classes.me}
            aria-haspopup="menu"
            aria-label={`${initialsOf(session.user.name)}, menu of ${session.user.name}`}
            onClick={onPress}
          >
            {initialsOf(session.user.name)}
          </button>
        )}
      >
        <UserMenu team={team} session={session} />
      </Late>
      <Late
        button={(onPress) => (
          <button
            type="button"
            className={classes.menuButton}
            aria-haspopup="menu"
            onClick={onPress}
          >
            Menu
          </button>
        )}
      >
        <NarrowMenu team={team.slug} />
      </Late>
    </header>
  );
}
