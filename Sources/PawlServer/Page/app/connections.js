import { h, setText } from "./dom.js";
import { percent, rate, size } from "./format.js";
import { t } from "./i18n.js";

/// One line for each connection: where it is within the range it fetches.
export class ConnectionLines {
  #starts = new Map();
  #lines = new Map();

  constructor() {
    this.element = h("ul", { class: "connections", role: "list" });
  }

  clear() {
    this.#starts.clear();
    this.#lines.clear();
    this.element.replaceChildren();
  }

  show(connections) {
    const present = new Set(connections.map((one) => one.id));
    for (const [id, line] of this.#lines) {
      if (present.has(id)) continue;
      line.element.remove();
      this.#lines.delete(id);
      this.#starts.delete(id);
    }
    for (const one of connections) this.#show(one);
  }

  #show(one) {
    // If the service tells no start, it is where the connection was first seen in this range.
    const known = this.#starts.get(one.id);
    if (!known || one.position < known.start || (known.end !== null && one.position > known.end)) {
      this.#starts.set(one.id, { start: one.position, end: one.end });
    }
    const line = this.#lines.get(one.id) ?? this.#make(one.id);
    const start = one.start ?? this.#starts.get(one.id).start;
    const length = one.end === null ? 0 : one.end - start;
    const part = length > 0 ? (one.position - start) / length : 0;
    setText(line.host, one.host);
    setText(line.rate, rate(one.rate));
    setText(line.range, length > 0 ? t("connection.range", { done: size(one.position - start), length: size(length) }) : t("connection.from", { position: size(one.position) }));
    line.bar.style.setProperty("transform", `scaleX(${Math.min(1, part).toFixed(4)})`);
    line.track.setAttribute("aria-valuenow", String(Math.floor(part * 100)));
    line.track.setAttribute("aria-valuetext", percent(Math.round(part * 100), 100));
    line.track.setAttribute("aria-label", t("connection.label", { number: one.id + 1, host: one.host }));
  }

  #make(id) {
    const line = {
      host: h("span", { class: "connection-host", dir: "auto" }), rate: h("span", { class: "connection-rate" }), range: h("span", { class: "connection-range" }),
      bar: h("span", { class: "connection-bar" }),
    };
    line.track = h("div", { class: "connection-track", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100" }, line.bar);
    line.element = h("li", {}, h("div", { class: "connection-words" }, line.host, line.range, line.rate), line.track);
    this.#lines.set(id, line);
    this.element.append(line.element);
    return line;
  }
}
