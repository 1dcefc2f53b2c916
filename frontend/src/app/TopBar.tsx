import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { lazy } from 'react';
import type { Session, TeamMembership } from '../api';
import { InboxButton } from '../features/sharing/discussions';
import { InboxBadge } from '../features/sharing/inbox';
import { JobsIndicator } from '../features/platform/jobs';
import { LazyPopover, initialsOf } from '../ui';
import { SearchButton } from './SearchButton';
import classes from './Shell.module.css';
import { NAVIGATION } from './navigation';

const UserMenu = lazy(async () => ({ default: (await import('./TopMenus')).UserMenu }));
const NarrowMenu = lazy(async () => ({ default: (await import('./TopMenus')).NarrowMenu }));

export function TopBar({ team, session }: { team: TeamMembership; session: Session }) {
  const router = useRouter();
  const section = useLocation({ select: ({ pathname }) => pathname.split('/')[3] ?? '' });
  return (
    <header className={classes.top}>
      <Link to="/t/$team" params={{ team: team.slug }} className={classes.brand}>
        Slowpath
      </Link>
      <div className={classes.context}>
        <b className="cut">{team.name}</b>
      </div>
      <nav className={classes.nav} aria-label="Main">
        {NAVIGATION.map((place) => (
          <Link
            key={place.to}
            to={place.to}
            params={{ team: team.slug }}
            activeProps={{ 'aria-current': 'page' }}
            inactiveProps={place.pages?.includes(section) ? { 'aria-current': 'page' } : undefined}
          >
            {place.name} {place.name === 'Inbox' && <InboxBadge />}
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
      <Link to="/help" className={classes.help}>
        Help
      </Link>
      <SearchButton team={team} />
      <Link
        to="/t/$team/compare"
        params={{ team: team.slug }}
        search={{}}
        className={classes.compare}
      >
        Compare
      </Link>
      <InboxButton onOpen={(path) => router.history.push(`/t/${team.slug}${path}`)} />
      <LazyPopover
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
      </LazyPopover>
      <LazyPopover
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
      </LazyPopover>
    </header>
  );
}
