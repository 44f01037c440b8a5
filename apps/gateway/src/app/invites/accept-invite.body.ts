import type { FastifyRequest } from 'fastify';
import type { BodyDocs } from '../../http/route-docs.js';
import { readBody } from '../../http/input/read-input.js';
import { CodePoints } from '../../http/input/text.decorator.js';

/** The body of `POST /app/api/invites/accept`. How long a new password must be depends on who is invited. */
class AcceptInviteBody {
  @CodePoints(1, 256, { about: 'What the link carries behind its `#`.' })
  token = '';

  @CodePoints(1, 256, { about: 'How a person without an account wants to be called.', optional: true })
  name: string | undefined;

  @CodePoints(1, 256, {
    about: 'The password of the account; of a new one: 12 to 256 characters, anything but the email address.',
  })
  password = '';
}

/** What the description says of the body. */
export const acceptInviteBody: BodyDocs = {
  shape: AcceptInviteBody,
  examples: {
    newPerson: {
      token: 'b6JQm3T9yVhS1rXzKpWc0dN5uEgLa2FoIi7tYs4RvQM',
      name: 'Grace Hopper',
      password: 'correct horse battery staple',
    },
  },
};

/** Who accepts what. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readAcceptInvite(request: FastifyRequest): {
  readonly secret: string;
  readonly name: string | null;
  readonly password: string;
} {
  const { token, name, password } = readBody(AcceptInviteBody, request);
  return { secret: token, name: name ?? null, password };
}
