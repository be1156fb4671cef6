import { $, setText } from "./dom.js";
import { loadLanguage, t } from "./i18n.js";
import { keepSession } from "./session.js";

const language = loadLanguage();
const status = $("#login-status");
const field = $("#token");
/// The words for an answer; null if it let us in.
function wordsFor(answer) {
  if (answer.ok) return null;
  if (answer.status === 401) return t("login.wrong");
  if (answer.status === 429) return t("login.tooMany", { n: answer.headers.get("Retry-After") ?? 60 });
  return t("login.failed", { status: answer.status });
}

/// The words for a browser that keeps nothing; null if it does.
function keep(keys) {
  try {
    keepSession(keys);
    return null;
  } catch {
    return t("login.storage");
  }
}

$("#login").addEventListener("submit", async (event) => {
  event.preventDefault();
  await language;
  setText(status, "");
  try {
    const body = JSON.stringify({ token: field.value.trim() });
    const answer = await fetch("api/v1/login", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const words = wordsFor(answer) ?? keep(await answer.json());
    if (words === null) return location.replace("./");
    setText(status, words);
  } catch {
    setText(status, t("connection.stopped"));
  }
  field.select();
});

await language;
// Only a link with a ticket that is not valid leads here by a redirect.
if (performance.getEntriesByType("navigation")[0]?.redirectCount > 0) setText(status, t("login.expired"));
