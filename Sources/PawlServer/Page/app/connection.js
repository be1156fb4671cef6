import { $, setText } from "./dom.js";
import { t } from "./i18n.js";

/// How long a connection may be away before the page says so: a restart of a proxy is not worth a banner.
const PATIENCE = 1200;

/// The banner that tells a lost connection from a service that has stopped, and from one that cannot write to its database.
export class ConnectionBanner {
  #timer = null;
  #countdown = null;

  constructor(reader, announcer, downloads) {
    this.element = $("#banner");
    this.words = $("#banner-words");
    this.more = $("#banner-more");
    this.announcer = announcer;
    [this.reason, this.since] = [null, null];
    this.retry = $("#banner-retry");
    this.retry.addEventListener("click", () => reader.retryNow());
    downloads.addEventListener("stats", () => this.#tell(downloads.stats?.problem ?? null));
    addEventListener("online", () => reader.retryNow());
    document.addEventListener("visibilitychange", () => document.hidden || !this.reason || reader.retryNow());
    reader.addEventListener("open", () => this.#open());
    reader.addEventListener("lost", (event) => this.#lost(event.detail));
  }

  #open() {
    clearTimeout(this.#timer);
    clearInterval(this.#countdown);
    this.#timer = null;
    if (!this.element.hidden) this.announcer.say(t("connection.back"));
    this.element.hidden = true;
    [this.reason, this.since] = [null, null];
    document.body.classList.remove("is-offline");
  }

  /// Shows or hides the problem of a service that answers.
  #tell(problem) {
    if (this.reason || (!problem && this.element.dataset.reason !== "trouble")) return;
    this.element.hidden = !problem;
    this.element.dataset.reason = problem ? "trouble" : "";
    this.retry.hidden = Boolean(problem);
    if (!problem) return;
    setText(this.words, t("trouble"));
    setText(this.more, [problem.detail, problem.hint].filter(Boolean).join(" "));
  }

  #lost({ reason, wait }) {
    this.retry.hidden = false;
    this.reason = reason;
    const until = Date.now() + wait;
    const show = () => {
      this.element.hidden = false;
      this.element.dataset.reason = reason;
      document.body.classList.add("is-offline");
      setText(this.words, t(reason === "stopped" ? "connection.stopped" : "connection.lost"));
      setText(this.more, reason === "stopped" ? t("connection.stopped.more") : t("connection.retry.in", { n: Math.max(1, Math.ceil((until - Date.now()) / 1000)) }));
    };
    clearInterval(this.#countdown);
    clearTimeout(this.#timer);
    if (!this.element.hidden || reason === "stopped") {
      show();
      this.#countdown = setInterval(show, 1000);
    } else {
      // From the first loss on, however often it fails since.
      this.since ??= Date.now();
      this.#timer = setTimeout(() => {
        show();
        this.#countdown = setInterval(show, 1000);
      }, Math.max(0, this.since + PATIENCE - Date.now()));
    }
  }
}
