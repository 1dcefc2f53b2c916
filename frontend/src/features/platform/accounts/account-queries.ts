import { queryOptions } from '@tanstack/react-query';
import {
  calls,
  type CiTrustInput,
  type ConfirmationInput,
  type Role,
  type SecondFactor,
  type SecondFactorInput,
  type ServiceAccountRole,
  type TokenScope,
} from '../../../api';
import { deleteDrafts, keepDraftsOf } from '../../../ui';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await calls.sessionGet({ signal });
    keepDraftsOf(session.user.id);
    return session;
  },
  staleTime: 60_000,
  retry: false,
});

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: ({ signal }) => calls.authMethods({ signal }),
  staleTime: 300_000,
});

export const secondFactorsQuery = queryOptions({
  queryKey: ['own-second-factors'],
  queryFn: ({ signal }) => calls.secondFactorsList({ signal }),
});

/** The second step of the sign-in that this browser started. */
export const secondStepQuery = queryOptions({
  queryKey: ['second-step'],
  queryFn: ({ signal }) => calls.sessionGetSecondFactor({ signal }),
  gcTime: 0,
  retry: false,
});

/** The methods by which the user of this session can confirm the sign-in. */
export const confirmationQuery = queryOptions({
  queryKey: ['sign-in-confirmation'],
  queryFn: ({ signal }) => calls.sessionGetConfirmation({ signal }),
  gcTime: 0,
  staleTime: Infinity,
  refetchOnWindowFocus: false,
});

export const linkedIdentitiesQuery = queryOptions({
  queryKey: ['own-sign-ins'],
  queryFn: ({ signal }) => calls.linkedIdentitiesList({ signal }),
});

export const mailPreferencesQuery = queryOptions({
  queryKey: ['own-mails'],
  queryFn: ({ signal }) => calls.emailPreferencesGet({ signal }),
});

export const serviceAccountsQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['service-accounts', team_id],
    queryFn: ({ signal }) =>
      calls.serviceAccountsList({ path: { team_id }, query: { limit: 200 }, signal }),
  });

export const ciTrustsQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['ci-trusts', team_id],
    queryFn: async ({ signal }) => {
      const items = await calls.ciTrustsList({ path: { team_id }, signal });
      return { items, next_cursor: null };
    },
  });

export const invitationQuery = (secret: string) =>
  queryOptions({
    queryKey: ['invitation', secret],
    queryFn: ({ signal }) => calls.invitationsGet({ path: { secret }, signal }),
    retry: false,
  });

export const membersQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['members', team_id],
    queryFn: ({ signal }) =>
      calls.membersList({ path: { team_id }, query: { limit: 200 }, signal }),
  });

export const invitationsQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['invitations', team_id],
    queryFn: ({ signal }) =>
      calls.invitationsList({ path: { team_id }, query: { limit: 200 }, signal }),
  });

export const tokensQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['tokens', team_id],
    queryFn: ({ signal }) => calls.tokensList({ path: { team_id }, query: { limit: 200 }, signal }),
  });

export const sessionsQuery = queryOptions({
  queryKey: ['browsers'],
  queryFn: ({ signal }) => calls.sessionsList({ signal }),
});

export const signIn = (body: { email: string; password: string }) => calls.sessionCreate({ body });
export const signUp = (body: {
  email: string;
  name: string;
  password: string;
  invitation?: string;
}) => calls.usersSignUp({ body });
export const verifySecondStep = (body: { code?: string; passkey?: string }) =>
  calls.sessionVerifySecondFactor({ body });
export const startSecondFactor = (kind: SecondFactor['kind'], signal: AbortSignal) =>
  calls.secondFactorsStart({ body: { kind }, signal });
export const createSecondFactor = (body: SecondFactorInput) => calls.secondFactorsCreate({ body });
export const deleteSecondFactor = (factor_id: string) =>
  calls.secondFactorsDelete({ path: { factor_id } });
export const renewRecoveryCodes = () => calls.secondFactorsRenewRecoveryCodes();
export const requireSecondFactor = (team_id: string, requires_second_factor: boolean) =>
  calls.teamsUpdate({ path: { team_id }, body: { requires_second_factor } });
export const updateMailPreferences = (mentions: boolean) =>
  calls.emailPreferencesUpdate({ body: { email_on_mention: mentions } });
export const codeHostLoginsQuery = queryOptions({
  queryKey: ['own-logins'],
  queryFn: ({ signal }) => calls.codeHostLoginsGet({ signal }),
});
export const updateCodeHostLogins = (logins: string[]) =>
  calls.codeHostLoginsUpdate({ body: { logins } });
export async function signOut() {
  const response = await calls.sessionDelete();
  deleteDrafts();
  return response;
}

export const acceptInvitation = (secret: string) => calls.invitationsAccept({ path: { secret } });
export const createTeam = (body: { name: string }) => calls.teamsCreate({ body });
export const renameTeam = (team_id: string, name: string) =>
  calls.teamsUpdate({ path: { team_id }, body: { name } });
export const deleteTeam = (team_id: string) => calls.teamsDelete({ path: { team_id } });
export const updateRole = (team_id: string, user_id: string, role: Role) =>
  calls.membersUpdate({ path: { team_id, user_id }, body: { role } });
export const removeMember = (team_id: string, user_id: string) =>
  calls.membersDelete({ path: { team_id, user_id } });
export const invite = (
  team_id: string,
  body: { email: string | null; role: Role; expires_in_days: number },
) => calls.invitationsCreate({ path: { team_id }, body });
export const withdrawInvitation = (team_id: string, invitation_id: string) =>
  calls.invitationsRevoke({ path: { team_id, invitation_id } });
export const renewInvitation = (team_id: string, invitation_id: string) =>
  calls.invitationsRotateLink({ path: { team_id, invitation_id }, body: {} });
export const createToken = (
  team_id: string,
  body: {
    name: string;
    scopes: TokenScope[];
    expires_in_days: number | null;
    service_account_id?: string | null;
  },
) => calls.tokensCreate({ path: { team_id }, body });
export const updateToken = (
  team_id: string,
  token_id: string,
  body: { name: string; requests_per_minute: number | null; uploads_per_minute: number | null },
) => calls.tokensUpdate({ path: { team_id, token_id }, body });
export const createCiTrust = (team_id: string, body: CiTrustInput) =>
  calls.ciTrustsCreate({ path: { team_id }, body });
export const deleteCiTrust = (team_id: string, trust_id: string) =>
  calls.ciTrustsDelete({ path: { team_id, trust_id } });
export const createServiceAccount = (
  team_id: string,
  body: { name: string; role: ServiceAccountRole },
) => calls.serviceAccountsCreate({ path: { team_id }, body });
export const updateServiceAccount = (
  team_id: string,
  service_account_id: string,
  body: { role?: ServiceAccountRole; disabled?: boolean },
) => calls.serviceAccountsUpdate({ path: { team_id, service_account_id }, body });
export const deleteServiceAccount = (team_id: string, service_account_id: string) =>
  calls.serviceAccountsDelete({ path: { team_id, service_account_id } });
export const revokeToken = (team_id: string, token_id: string) =>
  calls.tokensRevoke({ path: { team_id, token_id } });
export const updateName = (name: string) => calls.usersUpdate({ body: { name } });
/** @param time_zone null means the browser's. */
export const updateTimeZone = (time_zone: string | null) =>
  calls.usersUpdate({ body: { time_zone } });
export const confirmSignIn = (body: ConfirmationInput) => calls.sessionConfirm({ body });
export const unlinkIdentity = (identity_id: string) =>
  calls.linkedIdentitiesDelete({ path: { identity_id } });
export const updatePassword = (body: { current_password?: string; new_password: string }) =>
  calls.usersChangePassword({ body });
export const endSession = (session_id: string) => calls.sessionsDelete({ path: { session_id } });
export const endOtherSessions = () => calls.sessionsDeleteAll({ query: { others_only: true } });
