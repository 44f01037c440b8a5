import { About } from '../../http/input/field-description.js';
import { CodePoints } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `POST /app/api/second-factor`. */
export class BeginSecondFactorBody {
  @About('The current password.')
  @CodePoints(1, 256)
  password = '';
}

/** The body of `POST /app/api/second-factor/enable`. */
export class EnableSecondFactorBody {
  @About('The six digits that the authenticator app shows.')
  @CodePoints(1, 64)
  code = '';
}

/** The body of what changes an enabled second factor. */
export class SecondFactorProofBody {
  @About('The current password.')
  @CodePoints(1, 256)
  password = '';

  @About('The six digits that the authenticator app shows, or a recovery code; each is taken once.')
  @CodePoints(1, 64)
  code = '';
}

const password = 'correct horse battery staple';

/** `BeginSecondFactorBody` in the description. */
export const beginSecondFactorBody: BodyDocs = { shape: BeginSecondFactorBody, examples: { begin: { password } } };
/** `EnableSecondFactorBody` in the description. */
export const enableSecondFactorBody: BodyDocs = {
  shape: EnableSecondFactorBody,
  examples: { code: { code: '492039' } },
};
/** `SecondFactorProofBody` in the description. */
export const secondFactorProofBody: BodyDocs = {
  shape: SecondFactorProofBody,
  examples: { byCode: { password, code: '492039' }, byRecoveryCode: { password, code: 'k3x9-7mqp-2vtc-hd84' } },
};
