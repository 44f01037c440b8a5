import { readBody } from '../input/read-input.js';
import { CodePoints, Email } from '../input/text.decorator.js';
import type { FastifyRequest } from 'fastify';

/** The body of `POST /app/api/sign-in`. A password that could not be one is only wrong. */
class SignInBody {
  @Email(320)
  email = '';

  @CodePoints(1, 256)
  password = '';
}

/** Who signs in, and with what. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readSignIn(request: FastifyRequest): { readonly email: string; readonly password: string } {
  return readBody(SignInBody, request);
}
