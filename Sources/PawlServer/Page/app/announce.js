import { $, h } from "./dom.js";
import { count } from "./format.js";
import { t } from "./i18n.js";
import { isolate, nameOf } from "./words.js";

/// Changes that come together are told together.
const GATHERED = 800;
const SHOWN = 5000;

/// Tells of changes of state: to screen readers, as short notes in the page, and as notifications of the system if allowed.
export class Announcer {
  #pending = { completed: [], failed: [] };
  #timer = null;

  constructor() {
    this.live = $("#live");
    this.toasts = $("#toasts");
  }

  say(text) {
    this.live.replaceChildren(h("p", {}, text));
  }

  note(text, tone = "plain") {
    this.say(text);
    const toast = h("p", { class: "toast", "data-tone": tone, dir: "auto" }, text);
    this.toasts.append(toast);
    while (this.toasts.children.length > 3) this.toasts.firstChild.remove();
    setTimeout(() => toast.remove(), SHOWN);
  }

  problem(error) {
    this.note([error.message, error.hint].filter(Boolean).join(" "), "failed");
  }

  transition({ snapshot }) {
    const list = this.#pending[snapshot.state];
    if (!list) return;
    list.push(snapshot);
    this.#timer ??= setTimeout(() => this.#tell(), GATHERED);
  }

  #tell() {
    this.#timer = null;
    for (const [state, list] of Object.entries(this.#pending)) {
      if (!list.length) continue;
      const text = list.length === 1 ? t(`told.${state}.one`, { name: isolate(nameOf(list[0])) }) : t(`told.${state}.many`, { number: count(list.length) });
      this.note(text, state);
      this.#notify(text, list[0].id);
      list.length = 0;
    }
  }

  #notify(text, tag) {
    if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    try {
      new Notification("Pawl", { body: text, tag, icon: "icon.svg" });
    } catch {
      // Some browsers show them only through a service worker.
    }
  }
}
