import type { FastifyRequest } from 'fastify';
import { readBody } from '../input/read-input.js';
import { CodePoints } from '../input/text.decorator.js';

/** The body of `POST /app/api/password`. Lengths of the new one: `password.policy.ts`, which counts the normal form too. */
class ChangePasswordBody {
  @CodePoints(1, 256)
  current = '';

  @CodePoints(12, 256)
  new = '';
}

/** The password that is, and the one to be. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readChangePassword(request: FastifyRequest): { readonly current: string; readonly next: string } {
  const body = readBody(ChangePasswordBody, request);
  return { current: body.current, next: body.new };
}
