import { About } from '../../http/input/field-description.js';
import { CodePoints } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `POST /app/api/password`. Lengths of the new one: `password.policy.ts`, which counts the normal form too. */
export class ChangePasswordBody {
  @About('The current password.')
  @CodePoints(1, 256)
  current = '';

  @About(
    "The new password. Common ones are refused, the current one, and names: yours, the product's, your organizations'.",
  )
  @CodePoints(12, 256)
  new = '';
}

/** The body in the description. */
export const changePasswordBody: BodyDocs = {
  shape: ChangePasswordBody,
  examples: { change: { current: 'correct horse battery staple', new: 'a quite different sentence' } },
};
