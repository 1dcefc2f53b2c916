"""The verbs on people, teams and their secrets, one module per family."""

from slowpath.accounts.service.auditing import audit, audit_events
from slowpath.accounts.service.inviting import OpenInvitation, accept, as_joined, invitations, invite, look_at, withdraw
from slowpath.accounts.service.people import (
    change_password,
    check_password,
    count_sign_up,
    hash_password,
    rename_person,
    set_password,
    sign_up,
    sign_up_invited,
)
from slowpath.accounts.service.sessions import (
    begin_session,
    end_session,
    end_sessions,
    find_session,
    sessions_of,
    teams_of,
)
from slowpath.accounts.service.teams import (
    change_role,
    create_team,
    delete_team,
    erase_team,
    get_team,
    members,
    remove_member,
    rename_team,
)
from slowpath.accounts.service.tokens import FoundToken, create_token, find_token, revoke_token, tokens

__all__ = [
    "FoundToken",
    "OpenInvitation",
    "accept",
    "as_joined",
    "audit",
    "audit_events",
    "begin_session",
    "change_password",
    "change_role",
    "check_password",
    "count_sign_up",
    "create_team",
    "create_token",
    "delete_team",
    "end_session",
    "end_sessions",
    "erase_team",
    "find_session",
    "find_token",
    "get_team",
    "hash_password",
    "invitations",
    "invite",
    "look_at",
    "members",
    "remove_member",
    "rename_person",
    "rename_team",
    "revoke_token",
    "sessions_of",
    "set_password",
    "sign_up",
    "sign_up_invited",
    "teams_of",
    "tokens",
    "withdraw",
]
