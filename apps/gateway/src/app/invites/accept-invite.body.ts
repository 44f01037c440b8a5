import { IsOptional } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { CodePoints, OneLine } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `POST /app/api/invites/accept`. The rule for a new password depends on the invited person. */
export class AcceptInviteBody {
  @About('The part of the link behind its `#`.')
  @CodePoints(1, 256)
  token = '';

  @About('The name of a person without an account, or with one that goes by its address.')
  @IsOptional()
  @OneLine()
  @CodePoints(1, 256)
  name: string | null | undefined;

  @About(
    'The password of the account; of a new one: 12 to 256 characters, no common one and no name. Not needed in a session of the invited address.',
  )
  @IsOptional()
  @CodePoints(1, 256)
  password: string | null | undefined;

  @About('Next to the password of a person with a second factor: its six digits, or a recovery code.')
  @IsOptional()
  @CodePoints(1, 64)
  code: string | null | undefined;
}

/** The body in the description. */
export const acceptInviteBody: BodyDocs = {
  shape: AcceptInviteBody,
  examples: {
    newPerson: {
      token: 'b6JQm3T9yVhS1rXzKpWc0dN5uEgLa2FoIi7tYs4RvQM',
      name: 'Grace Hopper',
      password: 'correct horse battery staple',
    },
    withCode: {
      token: 'b6JQm3T9yVhS1rXzKpWc0dN5uEgLa2FoIi7tYs4RvQM',
      password: 'correct horse battery staple',
      code: '492039',
    },
    signedIn: { token: 'b6JQm3T9yVhS1rXzKpWc0dN5uEgLa2FoIi7tYs4RvQM' },
  },
};
