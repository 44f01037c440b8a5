import { describe, expect, it } from '@jest/globals';
import { passwordProblem } from './password.policy.js';

const about = { email: 'grace.hopper@example.org', organizations: ['Acme Widgets'] };
const problemOf = (password: string): string | null => passwordProblem(password, about);

describe('a new password', () => {
  it.each([
    'password1234',
    'Password1234!',
    'P@ssw0rd2026!!',
    'passwordpassword',
    'PasswordPassword1',
    'letmeinletmein',
    'iloveyou1234',
    '123456789012',
    '1234567890123',
    '0987654321098',
    '111111111111',
    'abcabcabcabc',
    'abcdefghijklm',
    'qwertyuiop123',
    'qwertyuiopasdf',
    'QWERTZUIOPASDF',
    '1qaz2wsx3edc',
    'administrator',
    'administrator!',
  ])('%s is refused: common', (password) => {
    expect(problemOf(password)).toBe('must not be a common password');
  });

  it.each([
    'switchboard1',
    'Switchboard2026!',
    'SwitchboardAcme',
    'acme widgets',
    'Acme-Widgets-2026',
    'AcmeWidgetsSwitchboard',
    'grace.hopper1',
    'GraceHopper2026',
  ])('%s is refused: a name', (password) => {
    expect(problemOf(password)).toBe('must not be made of your name or that of the product or of your organization');
  });

  it.each([
    'correct horse battery staple',
    'a quite different sentence',
    'the switchboard of acme rings at noon',
    'kX9#mQ2$vL7!',
    'tr0ub4dor&3-and-more',
    '9f2c77ab01de45',
    'горячий чай с лимоном',
    '金曜日の朝は早起きしてパンを焼く',
  ])('%s is taken', (password) => {
    expect(problemOf(password)).toBeNull();
  });
});
