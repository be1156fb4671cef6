import { get, patch } from "./api.js";
import { $, $$, h, setText } from "./dom.js";
import { parseRate, rate } from "./format.js";
import { LANGUAGES, chooseLanguage, language, t } from "./i18n.js";
import { TimetableEditor, parseTimetable, writeTimetable } from "./timetable.js";

/// The dialog for limits and how many downloads run.
export class SettingsDialog {
  #languageBefore = language;

  constructor(handlers) {
    this.handlers = handlers;
    this.dialog = $("#settings");
    this.status = $("#settings-status");
    this.editor = new TimetableEditor();
    this.kinds = $$("input[name=limit-kind]");
    for (const kind of this.kinds) kind.addEventListener("change", () => this.#showKind(true));
    $("#language").append(...Object.entries(LANGUAGES).map(([name, words]) => h("option", { value: name, lang: name }, words)));
    $("#settings-form").addEventListener("submit", (event) => this.#save(event));
    $("#logout").addEventListener("click", () => handlers.logout());
    $("#notify").addEventListener("click", async () => {
      await Notification.requestPermission();
      this.#showNotify();
    });
  }

  async open() {
    setText(this.status, "");
    try {
      this.#fill(await get("settings"));
    } catch (error) {
      setText(this.status, error.message);
    }
    this.#showNotify();
    this.dialog.showModal();
  }

  #fill(settings) {
    const kind = settings.timetable ? "timetable" : settings.speedLimit ? "fixed" : "none";
    for (const choice of this.kinds) choice.checked = choice.value === kind;
    $("#limit-rate").value = settings.speedLimit ? rate(settings.speedLimit) : "";
    this.editor.show((settings.timetable && parseTimetable(settings.timetable)) || [{ day: "", time: "08:00", limit: 1024 * 1024 }, { day: "", time: "19:00", limit: "off" }]);
    $("#maximum-running").value = settings.maximumRunning;
    $("#maximum-per-host").value = settings.maximumConnectionsPerHost;
    $("#if-exists").value = settings.ifExists;
    $("#language").value = language;
    this.#showKind(false);
  }

  get #kind() {
    return this.kinds.find((kind) => kind.checked)?.value ?? "none";
  }

  #showKind(focuses) {
    $("#limit-fixed").hidden = this.#kind !== "fixed";
    $("#limit-timetable").hidden = this.#kind !== "timetable";
    if (focuses && this.#kind === "fixed") $("#limit-rate").focus();
  }

  #showNotify() {
    const isPossible = "Notification" in window && window.isSecureContext;
    $("#notify-part").hidden = !isPossible;
    if (!isPossible) return;
    $("#notify").hidden = Notification.permission !== "default";
    setText($("#notify-state"), t(`notify.${Notification.permission}`));
  }

  #read() {
    const change = {
      speedLimit: null, timetable: null, maximumRunning: Number($("#maximum-running").value),
      maximumConnectionsPerHost: Number($("#maximum-per-host").value), ifExists: $("#if-exists").value,
    };
    if (this.#kind === "fixed") {
      change.speedLimit = parseRate($("#limit-rate").value);
      if (change.speedLimit === null) {
        $("#limit-rate").focus();
        throw new Error(t("limits.wrong"));
      }
    }
    if (this.#kind === "timetable") {
      const entries = this.editor.read();
      if (!entries) throw new Error(t("limits.wrong"));
      change.timetable = entries.length ? writeTimetable(entries) : null;
    }
    return change;
  }

  async #save(event) {
    event.preventDefault();
    try {
      await patch("settings", this.#read());
    } catch (error) {
      return setText(this.status, [error.message, error.hint].filter(Boolean).join(" "));
    }
    this.dialog.close();
    if ($("#language").value !== this.#languageBefore) chooseLanguage($("#language").value);
    else this.handlers.saved();
  }
}
