import { locale, t } from "./i18n.js";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const formatters = new Map();

function number(value, digits) {
  const key = `${locale} ${digits}`;
  if (!formatters.has(key)) {
    formatters.set(key, new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  }
  return formatters.get(key).format(value);
}

export const count = (value) => number(value, 0);

/// Three figures: 1.25 GiB, 12.5 GiB, 125 GiB.
export function size(bytes) {
  let unit = 0;
  let value = bytes;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${number(value, digits)} ${UNITS[unit]}`;
}

export const rate = (bytesPerSecond) => `${size(bytesPerSecond)}/s`;

/// Rounded down, so that 100 % means all of it.
export function percent(part, whole) {
  return `${whole > 0 ? Math.min(100, Math.floor((part / whole) * 100)) : 100} %`;
}

function twoUnits(seconds, large, small, whole, both) {
  const n = Math.floor(seconds / large);
  const rest = Math.floor((seconds % large) / small);
  return rest === 0 ? t(whole, { n }) : t(both, { n, m: rest, h: rest });
}

export function duration(seconds) {
  if (seconds < 60) return t("time.seconds", { n: seconds });
  if (seconds < 3600) return t("time.minutes", { n: Math.min(59, Math.round(seconds / 60)) });
  if (seconds < 86400) return twoUnits(seconds, 3600, 60, "time.wholeHours", "time.hours");
  return twoUnits(seconds, 86400, 3600, "time.wholeDays", "time.days");
}

export function dateTime(text) {
  const date = new Date(text);
  const sameDay = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(locale, sameDay ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" }).format(date);
}

export const clockTime = (text) => new Intl.DateTimeFormat(locale, { timeStyle: "medium" }).format(new Date(text));

const MULTIPLES = { "": 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 };

/// As docs/speed-limits.md has it. Null if the text is no rate.
export function parseRate(text) {
  const match = /^(\d+(?:[.,]\d+)?)\s*([a-z]*?)(?:\/s)?$/i.exec(text.trim());
  const multiple = match && MULTIPLES[match[2].toLowerCase()];
  if (!multiple) return null;
  const bytes = Math.round(Number(match[1].replace(",", ".")) * multiple);
  return bytes > 0 ? bytes : null;
}
