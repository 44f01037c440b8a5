import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppendFile } from '../append-file/append-file.js';
import { WriteGroup } from '../append-file/write-group.js';
import { RequestLog } from './request-log.repository.js';

describe('RequestLog', () => {
  let folder: string;
  let file: AppendFile;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'request-log-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  /** As the process that starts next finds it. */
  function open(): RequestLog {
    file = new AppendFile(join(folder, 'requests.jsonl'));
    return new RequestLog(file, new WriteGroup());
  }

  it('is read back whatever references, recipients and bodies hold', () => {
    const texts = ['plain', '{"of":0,"at":1}', '","body":{"arrived":1}}', '\\","to":"+12015550100', 'zażółć 👍', '\n'];
    const log = open();
    for (const text of texts) {
      const body = { text: JSON.stringify({ body: text, arrived: 1, of: 0 }), isJson: true };
      const ticket = log.arrived({ phoneNumberId: text, reference: text, to: text, body, arrivedAtMs: 1_000 });
      log.answered(ticket, { status: 200, body: JSON.stringify({ of: text }), messageId: text, atMs: 2_000 });
    }
    log.arrived({
      phoneNumberId: '1',
      reference: null,
      to: null,
      body: { text: ',"body":', isJson: false },
      arrivedAtMs: 3_000,
    });
    const before = texts.map((_, number) => log.read(number));
    file.close();

    const again = open();
    expect(again.size).toBe(texts.length + 1);
    expect(texts.map((_, number) => again.read(number))).toEqual(before);
    expect(texts.map((text) => again.numbersByReference(text))).toEqual(texts.map((_, number) => [number]));
    expect(again.firstSince(1_001)).toBe(texts.length);
    expect(again.read(texts.length)).toMatchObject({ reference: null, to: null, body: ',"body":', outcome: 'cut' });
    file.close();
  });
});
