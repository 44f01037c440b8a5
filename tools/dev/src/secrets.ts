import { randomBytes } from 'node:crypto';
import { readJson, writePrivately } from './data-folder.js';

/** Random values of one copy, kept over restarts. Asking for a name that is new makes it. */
export class Secrets {
  private constructor(
    private readonly file: string,
    private readonly values: Map<string, string>,
  ) {}

  /** Reads the file, if there is one. */
  static async open(file: string): Promise<Secrets> {
    const parsed = await readJson(file);
    const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
    return new Secrets(file, new Map(entries.map(([name, value]) => [name, String(value)])));
  }

  /** A password of 32 URL-safe characters. */
  password(name: string): string {
    return this.get(name, () => randomBytes(24).toString('base64url'));
  }

  /** A key of 32 bytes in base 64. */
  key(name: string): string {
    return this.get(name, () => randomBytes(32).toString('base64'));
  }

  /** Writes the file (0600). To be called before anything relies on a new value. */
  async save(): Promise<void> {
    await writePrivately(this.file, Object.fromEntries(this.values));
  }

  private get(name: string, make: () => string): string {
    const value = this.values.get(name) ?? make();
    this.values.set(name, value);
    return value;
  }
}
