/** What a bench was called with. */
export interface BenchCall {
  readonly values: BenchValues;
  /** The machine, as a table names it. */
  readonly machine: string;
  readonly onLine: (line: string) => void;
}

/** Options of the command line, as they came or by default; each bench reads those that its help names. */
export interface BenchValues {
  readonly short: boolean;
  readonly connections: string;
  readonly rounds: string;
  readonly seconds: string;
  readonly contacts: string;
  readonly conversations: string;
  readonly events: string;
  readonly parts: string;
  readonly behind: string;
  readonly recipients: string;
  readonly messages: string;
  readonly limits: string;
  readonly requests: string;
}
