import { $, setText } from "./dom.js";
import { dateTime, rate } from "./format.js";
import { t } from "./i18n.js";

/// The speed of all downloads, in the page and in its title.
export class Totals {
  constructor(downloads) {
    this.downloads = downloads;
    this.speed = $("#speed");
    this.limit = $("#speed-limit");
    downloads.addEventListener("stats", () => this.#show());
  }

  #show() {
    const { stats } = this.downloads;
    if (!stats) return;
    const isBusy = stats.counts.running > 0;
    setText(this.speed, rate(stats.rate));
    $("#totals").classList.toggle("is-idle", !isBusy);
    const pause = stats.pausedUntil && t("limit.paused", { until: dateTime(stats.pausedUntil) });
    setText(this.limit, pause || (stats.limitNow ? t("limit.of", { rate: rate(stats.limitNow) }) : ""));
    document.title = isBusy ? `${rate(stats.rate)} · Pawl` : "Pawl";
  }
}
