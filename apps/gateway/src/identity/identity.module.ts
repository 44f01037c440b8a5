import { Module } from '@nestjs/common';
import { ADMISSION } from './admission.contract.js';
import { DatabaseAdmission } from './admission/admission.js';
import { API_KEYS } from './api-keys.contract.js';
import { DatabaseApiKeys } from './api-key/api-keys.js';
import { AUDIT_LOG, AUDIT_TRAIL } from './audit.contract.js';
import { DatabaseAuditLog } from './audit/audit-log.js';
import { DatabaseAuditTrail } from './audit/audit-trail.js';
import { AcceptInvite } from './accept-invite/accept-invite.js';
import { ChangePassword } from './change-password/change-password.js';
import { DeviceCookies } from './device/device-cookies.js';
import { DatabaseInvites } from './invite/invites.js';
import { KEY_USES } from './key-use.contract.js';
import { LoginThrottle } from './login-throttle/login-throttle.js';
import { DatabaseMembers } from './member/members.js';
import { CheckPassword } from './password/check-password.js';
import { ManageSecondFactor } from './manage-second-factor/manage-second-factor.js';
import { CheckSecondFactor } from './second-factor/check-second-factor.js';
import { SecondFactorSeeds } from './second-factor/second-factor-seeds.js';
import { Passwords } from './password/passwords.js';
import { PEOPLE } from './people.contract.js';
import { DatabasePeople } from './people/people.js';
import { identityPruners } from './prune-sessions/prune-sessions.worker.js';
import { CollectKeyUses } from './record-key-use/collect-key-uses.js';
import { DatabaseSessions } from './session/sessions.js';
import { FailedSignIns } from './audit/failed-sign-ins.js';
import { SignInByPassword } from './sign-in/sign-in.js';

/**
 * Organizations, people, sessions, keys, plans, limits and the audit log; used through the tokens of the contracts alone.
 *
 * Needs `Database`, CLOCK and LOG of the platform's module, and MASTER_KEYS. At the end loops stop in `onModuleDestroy`, and what requests
 * have left to write is written in `beforeApplicationShutdown`: requests must have ended before the application is closed.
 */
@Module({
  providers: [
    AcceptInvite,
    ChangePassword,
    CheckPassword,
    CheckSecondFactor,
    DeviceCookies,
    DatabaseInvites,
    DatabaseMembers,
    DatabaseSessions,
    FailedSignIns,
    LoginThrottle,
    ManageSecondFactor,
    Passwords,
    SecondFactorSeeds,
    SignInByPassword,
    ...identityPruners,
    { provide: ADMISSION, useClass: DatabaseAdmission },
    { provide: API_KEYS, useClass: DatabaseApiKeys },
    { provide: AUDIT_LOG, useClass: DatabaseAuditLog },
    { provide: AUDIT_TRAIL, useClass: DatabaseAuditTrail },
    { provide: KEY_USES, useClass: CollectKeyUses },
    { provide: PEOPLE, useClass: DatabasePeople },
  ],
  exports: [ADMISSION, API_KEYS, AUDIT_LOG, AUDIT_TRAIL, KEY_USES, PEOPLE],
})
export class IdentityModule {}
