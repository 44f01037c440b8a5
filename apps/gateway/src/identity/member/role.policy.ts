import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Role } from '../signed-in.contract.js';

/** Whether a person of one role may add, change or remove a person of another. Source: docs/api-behaviour.md#application. */
export function mayManage(actor: Role, other: Role): boolean {
  return actor === 'OWNER' || (actor === 'ADMIN' && other !== 'OWNER');
}

/** @throws AppError FORBIDDEN */
export function requireManaging(actor: Role, ...others: readonly Role[]): void {
  if (others.every((other) => mayManage(actor, other))) return;
  throw notAllowed();
}

/** What members may not do at all. @throws AppError FORBIDDEN */
export function requireAdministering(actor: Role): void {
  if (actor === 'MEMBER') throw notAllowed();
}

/** What owners alone may do. @throws AppError FORBIDDEN */
export function requireOwning(actor: Role): void {
  if (actor !== 'OWNER') throw notAllowed();
}

function notAllowed(): AppError {
  return new AppError(gatewayErrors.FORBIDDEN, 'Your role does not allow this');
}
