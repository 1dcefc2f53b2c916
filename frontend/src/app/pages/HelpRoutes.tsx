import { Link, Outlet, getRouteApi, useLocation, useNavigate } from '@tanstack/react-router';
import {
  API_REFERENCE,
  ApiReference,
  GUIDE_START,
  GuidePage,
  GuideSearch,
  type GuideAddress,
  type RenderGuideLink,
} from '../../features/platform/help';
import classes from '../Shell.module.css';

const pageRoute = getRouteApi('/help/$page');

const linkToGuide: RenderGuideLink = ({ page, hash }, words, className) =>
  page === GUIDE_START ? (
    <Link to="/help" hash={hash} className={className}>
      {words}
    </Link>
  ) : (
    <Link to="/help/$page" params={{ page }} hash={hash} className={className}>
      {words}
    </Link>
  );

/** The top bar of the user guide: a link back to the product, and the search. */
export function HelpFrame() {
  const navigate = useNavigate();
  const open = ({ page, hash }: GuideAddress) =>
    void (page === GUIDE_START
      ? navigate({ to: '/help', hash })
      : navigate({ to: '/help/$page', params: { page }, hash }));
  return (
    <>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className={classes.top}>
        <Link to="/" className={classes.brand}>
          Slowpath
        </Link>
        <Link to="/help" className={classes.context}>
          <b>Help</b>
        </Link>
        <span className={classes.space} />
        <GuideSearch onOpen={open} />
      </header>
      <Outlet />
    </>
  );
}

function HelpPage({ page }: { page: string }) {
  const hash = useLocation({ select: (location) => location.hash });
  return page === API_REFERENCE ? (
    <ApiReference hash={hash} link={linkToGuide} />
  ) : (
    <GuidePage key={page} page={page} hash={hash} link={linkToGuide} />
  );
}

export function HelpStartRoute() {
  return <HelpPage page={GUIDE_START} />;
}

export function HelpPageRoute() {
  const { page } = pageRoute.useParams();
  return <HelpPage page={page} />;
}
