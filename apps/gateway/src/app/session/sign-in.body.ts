import { IsOptional } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { CodePoints, EmailAddress } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `POST /app/api/sign-in`. A password that no account could have is refused as a wrong one. */
export class SignInBody {
  @About('The address of the account, in any case.')
  @EmailAddress(320)
  email = '';

  @About('The password.')
  @CodePoints(1, 256)
  password = '';

  @About('For a person with a second factor: its six digits, or a recovery code.')
  @IsOptional()
  @CodePoints(1, 64)
  code: string | null | undefined;
}

/** The body in the description. */
export const signInBody: BodyDocs = {
  shape: SignInBody,
  examples: {
    person: { email: 'ada@example.org', password: 'correct horse battery staple' },
    withCode: { email: 'ada@example.org', password: 'correct horse battery staple', code: '492039' },
  },
};
