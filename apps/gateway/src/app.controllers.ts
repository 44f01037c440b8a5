import { CreateApiKeyController } from './edge/create-api-key/create-api-key.controller.js';
import { ListApiKeysController } from './edge/list-api-keys/list-api-keys.controller.js';
import { ListAuditLogController } from './edge/list-audit-log/list-audit-log.controller.js';
import { RevokeApiKeyController } from './edge/revoke-api-key/revoke-api-key.controller.js';
import { AcceptInviteController } from './edge/accept-invite/accept-invite.controller.js';
import { ChangeMemberController } from './edge/change-member/change-member.controller.js';
import { ChangePasswordController } from './edge/change-password/change-password.controller.js';
import { CreateInviteController } from './edge/create-invite/create-invite.controller.js';
import { GetPlanController } from './edge/get-plan/get-plan.controller.js';
import { GetSessionController } from './edge/get-session/get-session.controller.js';
import { ListInvitesController } from './edge/list-invites/list-invites.controller.js';
import { ListMembersController } from './edge/list-members/list-members.controller.js';
import { RemoveMemberController } from './edge/remove-member/remove-member.controller.js';
import { RevokeInviteController } from './edge/revoke-invite/revoke-invite.controller.js';
import { SignInController } from './edge/sign-in/sign-in.controller.js';
import { SignOutController } from './edge/sign-out/sign-out.controller.js';
import { SignOutEverywhereController } from './edge/sign-out-everywhere/sign-out-everywhere.controller.js';
import { SwitchOrganizationController } from './edge/switch-organization/switch-organization.controller.js';

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
