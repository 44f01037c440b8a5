import { describe, expect, it } from '@jest/globals';
import { sendWords } from './send-words.js';

describe('the words of the button that sends in bulk', () => {
  it('say how many messages are sent', () => {
    expect(sendWords(0, '')).toBe('Send');
    expect(sendWords(1, '')).toBe('Send 1 message');
    expect(sendWords(1_200, '')).toBe('Send 1,200 messages');
  });

  it('say when, unless that is at once', () => {
    expect(sendWords(2, '2030-02-01T09:30')).toMatch(/^Schedule 2 messages for Feb 1, 2030, 9:30\sAM$/);
    expect(sendWords(0, '2030-02-01T09:30')).toMatch(/^Schedule for Feb 1, 2030/);
  });

  it('leave out a time that is none yet: the field takes years of six digits', () => {
    expect(sendWords(2, '275761-02-01T09:30')).toBe('Schedule 2 messages');
    expect(sendWords(2, '12026-02-01T09:30')).toBe('Schedule 2 messages');
  });
});
