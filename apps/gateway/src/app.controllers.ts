import { CreateApiKeyController } from './app/api-keys/create-api-key.controller.js';
import { ListApiKeysController } from './app/api-keys/list-api-keys.controller.js';
import { ListAuditLogController } from './app/audit-log/list-audit-log.controller.js';
import { RevokeApiKeyController } from './app/api-keys/revoke-api-key.controller.js';
import { AcceptInviteController } from './app/invites/accept-invite.controller.js';
import { ChangeMemberController } from './app/members/change-member.controller.js';
import { ChangePasswordController } from './app/password/change-password.controller.js';
import { CreateInviteController } from './app/invites/create-invite.controller.js';
import { GetPlanController } from './app/plan/get-plan.controller.js';
import { GetSessionController } from './app/session/get-session.controller.js';
import { ListInvitesController } from './app/invites/list-invites.controller.js';
import { ListMembersController } from './app/members/list-members.controller.js';
import { RemoveMemberController } from './app/members/remove-member.controller.js';
import { RevokeInviteController } from './app/invites/revoke-invite.controller.js';
import { SignInController } from './app/session/sign-in.controller.js';
import { SignOutController } from './app/session/sign-out.controller.js';
import { SignOutEverywhereController } from './app/session/sign-out-everywhere.controller.js';
import { SwitchOrganizationController } from './app/session/switch-organization.controller.js';

/** The controllers of the routes under /app/api. */
export const appControllers = [
  SignInController,
  GetSessionController,
  SignOutController,
  SignOutEverywhereController,
  SwitchOrganizationController,
  ChangePasswordController,
  ListMembersController,
  ChangeMemberController,
  RemoveMemberController,
  ListInvitesController,
  CreateInviteController,
  RevokeInviteController,
  AcceptInviteController,
  GetPlanController,
  CreateApiKeyController,
  ListApiKeysController,
  RevokeApiKeyController,
  ListAuditLogController,
];
