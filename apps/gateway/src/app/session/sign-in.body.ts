import type { FastifyRequest } from 'fastify';
import type { BodyDocs } from '../../http/route-docs.js';
import { readBody } from '../../http/input/read-input.js';
import { CodePoints, Email } from '../../http/input/text.decorator.js';

/** The body of `POST /app/api/sign-in`. A password that could not be one is only wrong. */
class SignInBody {
  @Email(320, { about: 'The address of the account, in any case.' })
  email = '';

  @CodePoints(1, 256, { about: 'The password.' })
  password = '';
}

/** What the description says of the body. */
export const signInBody: BodyDocs = {
  shape: SignInBody,
  examples: { person: { email: 'ada@example.org', password: 'correct horse battery staple' } },
};

/** Who signs in, and with what. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readSignIn(request: FastifyRequest): { readonly email: string; readonly password: string } {
  return readBody(SignInBody, request);
}
