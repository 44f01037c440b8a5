import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { checkAnalytics } from './analytics-check.command.js';
import { rebuildAnalytics } from './analytics-rebuild.command.js';
import { verifyAuditLog } from './audit.command.js';
import { setChannelRate } from './channel-rate.command.js';
import { discardDeadLetters, listDeadLetters, redriveDeadLetters, showDeadLetter } from './dead-letters.command.js';
import { giveUpOutcome, setAttemptsUnknown } from './dispatch.command.js';
import {
  createKey,
  listOrganizations,
  revokeKey,
  setPlan,
  setSubscription,
  showOrganization,
} from './organizations.command.js';
import { outboxStatus, replayOutbox } from './outbox.command.js';
import { declareRestored } from './restore.command.js';
import { rotateSecrets } from './secrets.command.js';
import { checkQuota, showQuota } from './quota.command.js';
import { resetUserPassword, resetUserSecondFactor, showUser, signOutUser } from './users.command.js';
import { planNumbers, type Choices } from './command-line.js';

/** A command of two words. */
export interface Command {
  readonly run: (client: pg.ClientBase, choices: Choices, context: AdminContext) => Promise<string[]>;
  /** Words that it takes behind its name at most; none by default. */
  readonly operandsMax?: number;
  /** Options of its own; none by default. */
  readonly options?: readonly string[];
}

const LETTERS = ['service', 'consumer', 'id'];

/** Every command by its two words. */
export const commands: Readonly<Record<string, Command>> = {
  'dead-letters list': { run: listDeadLetters, options: LETTERS },
  'dead-letters show': { run: showDeadLetter, options: LETTERS },
  'dead-letters redrive': { run: redriveDeadLetters, options: [...LETTERS, 'all'] },
  'dead-letters discard': { run: discardDeadLetters, options: [...LETTERS, 'all'] },
  'outbox status': { run: outboxStatus, options: ['service'] },
  'outbox replay': { run: replayOutbox, options: ['service', 'since'] },
  'restore declare': { run: declareRestored, options: ['service', 'all', 'restored-at'] },
  'dispatch set-unknown': { run: setAttemptsUnknown, options: ['all'] },
  'dispatch give-up': { run: giveUpOutcome, operandsMax: 1 },
  'channel-rate set': { run: setChannelRate, operandsMax: 2 },
  'secrets rotate': { run: rotateSecrets },
  'quota show': { run: showQuota, operandsMax: 1 },
  'quota check': { run: checkQuota, operandsMax: 1, options: ['repair'] },
  'organizations list': { run: listOrganizations },
  'organizations show': { run: showOrganization, operandsMax: 1 },
  'plan set': { run: setPlan, operandsMax: 1, options: ['plan', 'reset-overrides', ...planNumbers] },
  'subscription set': { run: setSubscription, operandsMax: 2 },
  'api-keys create': { run: createKey, operandsMax: 1, options: ['label', 'scopes'] },
  'api-keys revoke': { run: revokeKey, operandsMax: 1 },
  'users show': { run: showUser, operandsMax: 1 },
  'users reset-password': { run: resetUserPassword, operandsMax: 1, options: ['keep-memberships'] },
  'users reset-second-factor': { run: resetUserSecondFactor, operandsMax: 1 },
  'users sign-out': { run: signOutUser, operandsMax: 1 },
  'analytics rebuild': { run: rebuildAnalytics, operandsMax: 1 },
  'analytics check': { run: checkAnalytics, operandsMax: 1 },
  'audit verify': { run: verifyAuditLog, options: ['organization', 'expect', 'save-heads'] },
};
