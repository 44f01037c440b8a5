import type { FastifyRequest } from 'fastify';
import type { BodyDocs } from '../../http/route-docs.js';
import { readBody } from '../../http/input/read-input.js';
import { CodePoints } from '../../http/input/text.decorator.js';

/** The body of `POST /app/api/password`. Lengths of the new one: `password.policy.ts`, which counts the normal form too. */
class ChangePasswordBody {
  @CodePoints(1, 256, { about: 'The password as it is.' })
  current = '';

  @CodePoints(12, 256, { about: 'The password to be; anything of that length but the own email address.' })
  new = '';
}

/** What the description says of the body. */
export const changePasswordBody: BodyDocs = {
  shape: ChangePasswordBody,
  examples: { change: { current: 'correct horse battery staple', new: 'a quite different sentence' } },
};

/** The password that is, and the one to be. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readChangePassword(request: FastifyRequest): { readonly current: string; readonly next: string } {
  const body = readBody(ChangePasswordBody, request);
  return { current: body.current, next: body.new };
}
