const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/**
 * A moment in words: how long ago in full minutes and hours, from 24 hours on by days of the calendar in the browser's zone, its date
 * from seven days on.
 *
 * @param nowMs milliseconds since 1970
 */
export function inWords(moment: Date, nowMs: number): string {
  const seconds = (moment.getTime() - nowMs) / 1_000;
  const days = dayNumber(moment) - dayNumber(new Date(nowMs));
  if (Math.abs(days) >= 7) return day.format(moment);
  // A day on which clocks are set back has more than 24 hours.
  if (Math.abs(seconds) >= DAY && days !== 0) return relative.format(days, 'day');
  if (Math.abs(seconds) >= HOUR) return relative.format(Math.trunc(seconds / HOUR), 'hour');
  if (Math.abs(seconds) >= MINUTE) return relative.format(Math.trunc(seconds / MINUTE), 'minute');
  // The clocks of browser and server are not quite the same.
  return seconds < 10 ? 'just now' : 'in less than a minute';
}

/** Days since 1970, of the calendar. */
function dayNumber(moment: Date): number {
  return Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate()) / (DAY * 1_000);
}

/** A wait that the API asks for, as a sentence: in seconds up to a minute, longer ones with the time of day at their end. */
export function waitSentence(seconds: number, nowMs: number): string {
  const whole = Math.ceil(seconds);
  if (whole <= MINUTE) return `Try again in ${whole} ${whole === 1 ? 'second' : 'seconds'}.`;
  const minutes = Math.ceil(whole / MINUTE);
  const end = new Date(nowMs + whole * 1_000);
  return `Try again in ${minutes} minutes, after ${timeOfDay.format(end)}.`;
}

const timeOfDay = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
