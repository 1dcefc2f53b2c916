/**
 * Pages that need no session: sign-in, sign-up, invitations, password resets, reports by share
 * link.
 */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { getPreference } from '../../ui';
import { rootRoute, sessionOr } from './root';

const entrySearch = z.object({
  next: z.catch(z.optional(z.string()), undefined),
  invitation: z.catch(z.optional(z.string()), undefined),
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: entrySearch,
  component: lazyRouteComponent(() => import('../pages/AuthPages'), 'SignInPage'),
});

const returnRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/callback',
  component: lazyRouteComponent(() => import('../pages/AuthPages'), 'ProviderReturnPage'),
});

const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  validateSearch: entrySearch,
  component: lazyRouteComponent(() => import('../pages/AuthPages'), 'SignUpPage'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitations/$secret',
  component: lazyRouteComponent(() => import('../pages/AuthPages'), 'InvitationPage'),
});

const passwordResetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password-reset',
  component: lazyRouteComponent(() => import('../pages/AuthPages'), 'PasswordResetPage'),
});

const newPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password-reset/confirm',
  component: lazyRouteComponent(() => import('../pages/AuthPages'), 'NewPasswordPage'),
});

const welcomeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/new-team',
  beforeLoad: async ({ context, location }) => {
    const session = await sessionOr(context.client, () => null);
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { session };
  },
  component: lazyRouteComponent(() => import('../pages/AuthPages'), 'NewTeamPage'),
});

const secondFactorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/second-factor',
  component: lazyRouteComponent(() => import('../pages/SecondFactorPage'), 'SecondFactorPage'),
});

/** Redirects to the sign-in page if no user is signed in, and otherwise to the most recent team. */
const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async ({ context }) => {
    const session = await sessionOr(context.client, () => null);
    if (!session) throw redirect({ to: '/sign-in', search: {} });
    const last = getPreference('team');
    const team = session.teams.find(({ slug }) => slug === last) ?? session.teams[0];
    if (!team) throw redirect({ to: '/new-team' });
    throw redirect({ to: '/t/$team', params: { team: team.slug } });
  },
});

/** A report by its share link: it needs no session, and only the report is requested. */
const sharedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/s/$secret',
  component: lazyRouteComponent(() => import('../pages/ReportRoutes'), 'SharedReportRoute'),
});

/** The link in a mail: its token names a subscription, and no session is needed. */
const unsubscribeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/unsubscribe/$token',
  component: lazyRouteComponent(() => import('../pages/UnsubscribeRoute'), 'UnsubscribeRoute'),
});

export const authRoutes = [
  homeRoute,
  signInRoute,
  returnRoute,
  signUpRoute,
  invitationRoute,
  passwordResetRoute,
  newPasswordRoute,
  welcomeRoute,
  secondFactorRoute,
  sharedRoute,
  unsubscribeRoute,
] as const;
