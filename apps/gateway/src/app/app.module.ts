import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { AuditLogController } from './audit-log/audit-log.controller.js';
import { InvitesController } from './invites/invites.controller.js';
import { MembersController } from './members/members.controller.js';
import { PasswordController } from './password/password.controller.js';
import { PlanController } from './plan/plan.controller.js';
import { SessionController } from './session/session.controller.js';

/** The application's API, under /app/api, by session. */
@Module({
  imports: [HttpModule, IdentityModule],
  controllers: [
    SessionController,
    PasswordController,
    MembersController,
    InvitesController,
    PlanController,
    ApiKeysController,
    AuditLogController,
  ],
})
export class AppModule {}
