import { dateTime, duration, percent, rate, size } from "./format.js";
import { has, language, t } from "./i18n.js";

/// The name, or what stands for it until the server has named the file. Never markup: callers set it as text.
export function nameOf(snapshot) {
  if (snapshot.file) return snapshot.file;
  const path = snapshot.url.split(/[?#]/)[0].replace(/\/+$/, "");
  const last = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last) || snapshot.url;
  } catch {
    return last;
  }
}

export function hostOf(url) {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}

/// A port that the scheme implies says nothing.
const withoutPort = (host) => host.replace(/:(80|443)$/, "");

/// Server text could reorder what stands around it.
export const isolate = (text) => `\u2068${text}\u2069`;

/// Returns the words for what a download would lose in a restart of the service; empty if nothing.
export function notStoredWords(snapshot) {
  return (snapshot.notStored ?? []).map((name) => t(`secret.${name}`)).join(", ");
}

export function whyWaiting(snapshot) {
  const { waiting } = snapshot;
  if (!waiting) return snapshot.whyWaiting ?? t(`state.${snapshot.state}`);
  const seconds = waiting.until ? Math.max(1, Math.ceil((Date.parse(waiting.until) - Date.now()) / 1000)) : waiting.seconds;
  const time = seconds === null ? "" : duration(seconds);
  if (waiting.code === "diskFull" && language === "en") return snapshot.whyWaiting;
  const key = `waiting.${waiting.code}`;
  return has(key) ? t(key, { host: waiting.host ? withoutPort(waiting.host) : hostOf(snapshot.url), time, until: waiting.until ? dateTime(waiting.until) : "" }) : snapshot.whyWaiting;
}

/// Remedies of archives only. Members of a remote archive are unpacked while they are fetched, so that the step does not
/// tell an error of the archive from one of the download.
const ofArchives = new Set(["raiseMaximumBytes", "raiseMaximumMembers", "raiseMaximumRatio", "removeIfUnused"]);

export function errorTitle(error) {
  const step = error.remedies?.some((name) => ofArchives.has(name)) ? "unpack" : error.step;
  const key = [`error.${step}.${error.code}`, `error.${error.code}`].find(has);
  return key ? t(key) : error.message;
}

/// Returns the advice for an error: the service's sentence in English, the page's own words in another language.
export function hintOf(error) {
  if (language === "en" && error.hint) return error.hint;
  const words = (error.remedies ?? []).map((name) => `remedy.${name}`).filter(has).map((key) => t(key));
  return words.length ? words.slice(0, 2).join(language === "zh" ? "" : " ") : error.hint;
}

export function amount(snapshot) {
  if (snapshot.total === null) return snapshot.bytes > 0 ? size(snapshot.bytes) : t("size.unknown");
  if (snapshot.state === "completed" || snapshot.bytes === 0) return size(snapshot.total);
  return t("size.of", { bytes: size(snapshot.bytes), total: size(snapshot.total) });
}

/// The facts of a row's second line, most important first.
export function facts(snapshot) {
  switch (snapshot.state) {
    case "running":
      if (snapshot.step && snapshot.step !== "fetch") return [t(`step.${snapshot.step}`), amount(snapshot)];
      return [snapshot.total === null ? null : percent(snapshot.bytes, snapshot.total), amount(snapshot)].filter(Boolean);
    case "waiting":
      return [whyWaiting(snapshot)];
    case "queued":
      return [t("state.queued"), ...(snapshot.bytes || snapshot.total !== null ? [amount(snapshot)] : [])];
    case "paused":
      return [t("state.paused"), ...(snapshot.bytes || snapshot.total !== null ? [amount(snapshot)] : [])];
    case "failed":
      return [snapshot.error ? errorTitle(snapshot.error) : t("state.failed"), ...(snapshot.bytes ? [amount(snapshot)] : [])];
    case "completed":
      return completedFacts(snapshot);
  }
  return [snapshot.state];
}

function completedFacts(snapshot) {
  const facts = [];
  if (snapshot.missing) facts.push(t("done.missing"));
  else if (snapshot.error) facts.push(errorTitle(snapshot.error));
  else if (snapshot.skipped) facts.push(t("done.skipped"));
  else if (snapshot.complete === false) facts.push(t("done.incomplete"));
  facts.push(amount(snapshot));
  if (snapshot.verified) facts.push(t("done.verified"));
  return facts;
}

export const speedOf = (snapshot) => (snapshot.state === "running" && snapshot.step === "fetch" ? rate(snapshot.rate) : "");

export function timeLeft(snapshot) {
  if (snapshot.state !== "running" || snapshot.secondsLeft === null || snapshot.step !== "fetch") return "";
  return t("time.left", { time: duration(snapshot.secondsLeft) });
}

export function tone(snapshot) {
  if (snapshot.state === "completed" && (snapshot.missing || snapshot.error || snapshot.complete === false)) return "waiting";
  return snapshot.state;
}
