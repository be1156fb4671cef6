import { fileURL, get } from "./api.js";
import { ConnectionLines } from "./connections.js";
import { $, $$, debounce, h, setText } from "./dom.js";
import { clockTime, dateTime, parseRate, rate, size } from "./format.js";
import { Graph } from "./graph.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { FileMap } from "./map.js";
import { Ring } from "./ring.js";
import { errorTitle, facts, hintOf, nameOf, notStoredWords, speedOf, timeLeft, tone, whyWaiting } from "./words.js";

const MAP_PERIOD = 1000;

/// The opened view of one download.
export class Detail {
  id = null;
  #detail = null;
  #mapTimer = null;
  #readSoon = debounce(300, () => this.#read());

  constructor(downloads, handlers) {
    Object.assign(this, { downloads, handlers });
    this.element = $("#detail");
    this.map = new FileMap();
    this.graph = new Graph();
    this.lines = new ConnectionLines();
    this.ring = new Ring(() => handlers.toggle(this.id));
    this.ring.button.tabIndex = 0;
    this.#build();
    this.covers = matchMedia("(max-width: 1023px)");
    this.covers.addEventListener("change", () => this.#coverRest());
    downloads.addEventListener("rows", (event) => event.detail.has(this.id) && this.#show());
    downloads.addEventListener("list", () => this.id && this.#show());
    downloads.addEventListener("transition", (event) => event.detail.snapshot.id === this.id && this.#readSoon());
  }

  #build() {
    this.title = h("h2", { class: "detail-name", dir: "auto", tabindex: "-1", id: "detail-name" });
    this.line = h("p", { class: "detail-facts" });
    this.speedLine = h("p", { class: "detail-speed" });
    this.note = h("div", { class: "note", hidden: true });
    this.buttons = h("div", { class: "detail-buttons" });
    this.scale = h("span", { class: "graph-scale" });
    this.now = h("span", { class: "graph-now" });
    this.close = h("button", { type: "button", class: "icon-button", onclick: () => this.handlers.close(), "aria-label": t("detail.close"), title: t("detail.close") }, icon("close"));
    this.mapPart = section("detail.map", this.map.canvas);
    this.linesPart = section("detail.connections", this.lines.element);
    this.graphPart = section("detail.speed", h("div", { class: "graph-frame" }, this.graph.element, this.scale), this.now);
    this.filesList = h("ul", { class: "lines", role: "list" });
    this.filesPart = section("detail.files", this.filesList);
    this.facts = h("dl", { class: "facts" });
    this.sources = h("ul", { class: "lines", role: "list" });
    this.sourcesPart = section("detail.sources", this.sources);
    this.log = h("ol", { class: "log", role: "list" });
    this.logPart = section("detail.log", this.log);
    this.limitField = this.#makeLimit();
    const head = h("header", { class: "detail-head" }, this.ring.element, h("div", { class: "detail-title" }, this.title, this.line, this.speedLine), this.close);
    const body = h(
      "div", { class: "detail-body", tabindex: "0", role: "group", "aria-labelledby": "detail-name" },
      this.note, this.buttons, this.filesPart, this.mapPart, this.linesPart, this.graphPart, section("detail.facts", this.facts), this.limitField, this.sourcesPart, this.logPart,
    );
    this.element.append(head, body);
    this.body = body;
  }

  #makeLimit() {
    this.limit = h("input", { id: "detail-limit", class: "field", autocomplete: "off", placeholder: t("limits.none"), "aria-describedby": "detail-limit-error" });
    this.limitError = h("p", { class: "field-error", id: "detail-limit-error", role: "alert" });
    this.place = h(
      "div", { class: "button-row", role: "group", "aria-label": t("detail.place") },
      ...["top", "up", "down", "bottom"].map((to) =>
        h("button", { type: "button", class: "icon-button framed", "aria-label": t(`move.${to}`), title: t(`move.${to}`), onclick: () => this.handlers.move(this.id, to) }, icon(to))),
    );
    const form = h(
      "form", { class: "limit-form", onsubmit: (event) => this.#setLimit(event) },
      h("div", { class: "grow" }, h("label", { for: "detail-limit", class: "label" }, t("detail.limit")), h("div", { class: "input-row" }, this.limit, h("button", { class: "button" }, t("set"))), this.limitError),
      h("div", {}, h("span", { class: "label" }, t("detail.place")), this.place),
    );
    return form;
  }

  async #setLimit(event) {
    event.preventDefault();
    const text = this.limit.value.trim();
    const limit = text ? parseRate(text) : null;
    setText(this.limitError, text && limit === null ? t("limits.wrong") : "");
    if (text && limit === null) return;
    await this.handlers.change(this.id, { maxSpeed: limit }, t(limit ? "limit.set" : "limit.lifted", { rate: limit ? rate(limit) : "" }));
  }

  async open(id) {
    if (this.id === id) return this.focus();
    this.id = id;
    this.#detail = null;
    this.lines.clear();
    this.limit.value = "";
    setText(this.limitError, "");
    this.element.hidden = false;
    this.#coverRest();
    this.#show();
    this.body.scrollTop = 0;
    this.focus();
    clearInterval(this.#mapTimer);
    this.#mapTimer = setInterval(() => this.#readMap(), MAP_PERIOD);
    await this.#read();
  }

  focus() {
    this.title.focus({ preventScroll: true });
  }

  shut() {
    this.id = null;
    clearInterval(this.#mapTimer);
    this.element.hidden = true;
    this.#coverRest();
  }

  // On a small screen it lies over everything else, which the keyboard must not reach then.
  #coverRest() {
    const isCovered = this.id !== null && this.covers.matches;
    for (const part of $$(".bar, .filters, main")) part.inert = isCovered;
  }

  get snapshot() {
    return this.downloads.get(this.id) ?? this.#detail;
  }

  async #read() {
    const { id } = this;
    if (!id) return;
    try {
      const detail = await get(`downloads/${id}`);
      if (id !== this.id) return;
      this.#detail = detail;
      this.downloads.apply(detail);
      this.limit.value = detail.maxSpeed ? rate(detail.maxSpeed) : "";
      this.#showDetail(detail);
      this.#show();
      await this.#readMap(true);
    } catch (error) {
      if (error.status === 404) this.handlers.close();
    }
  }

  async #readMap(isFirst = false) {
    const { id, snapshot } = this;
    if (!snapshot || document.hidden || (!isFirst && snapshot.state !== "running")) return;
    try {
      const map = await get(`downloads/${id}/map?cells=${this.map.cells}`);
      if (id === this.id) this.map.show(map);
    } catch {
      // The banner tells of a lost connection; the next one comes in a second.
    }
  }

  // MARK: Showing

  #show() {
    const { snapshot } = this;
    if (!snapshot) return;
    this.element.dataset.state = tone(snapshot);
    setText(this.title, nameOf(snapshot));
    setText(this.line, facts(snapshot).join(" · "));
    setText(this.speedLine, [speedOf(snapshot), timeLeft(snapshot)].filter(Boolean).join(" · "));
    this.ring.show(snapshot);
    this.#showNote(snapshot);
    this.#showButtons(snapshot);
    const isRunning = snapshot.state === "running";
    const isEnded = snapshot.state === "completed";
    this.mapPart.hidden = isEnded || snapshot.total === null;
    this.linesPart.hidden = !isRunning || !snapshot.connections.length;
    if (isRunning) this.lines.show(snapshot.connections);
    this.graphPart.hidden = !isRunning;
    if (isRunning) this.#showGraph(snapshot);
    this.limitField.hidden = isEnded || snapshot.state === "failed";
    this.#showFiles(snapshot);
  }

  #showGraph(snapshot) {
    setText(this.scale, rate(this.graph.show(this.downloads.samples(snapshot.id))));
    setText(this.now, rate(snapshot.rate));
  }

  #showNote(snapshot) {
    const { error } = snapshot;
    const isWaiting = snapshot.state === "waiting";
    const key = JSON.stringify([error, isWaiting && snapshot.waiting, snapshot.missing]);
    this.note.hidden = !error && !isWaiting && !snapshot.missing;
    if (this.note.dataset.key === key) return;
    this.note.dataset.key = key;
    this.note.dataset.tone = snapshot.state === "failed" ? "failed" : "waiting";
    const lines = [];
    if (snapshot.missing) lines.push(h("p", {}, t("done.missing.hint")));
    if (isWaiting) lines.push(h("p", {}, whyWaiting(snapshot)));
    if (error) {
      const title = errorTitle(error);
      if (title !== error.message) lines.push(h("p", { class: "note-title" }, title));
      lines.push(h("p", { dir: "auto" }, error.message));
      const hint = hintOf(error);
      if (hint) lines.push(h("p", { class: "note-hint" }, hint));
    }
    if (needsURL(snapshot)) lines.push(this.#makeURLForm());
    const choices = choicesOf(snapshot);
    if (choices.length) lines.push(h("div", { class: "input-row" }, ...choices.map(([key, change]) => h("button", { type: "button", class: "button", onclick: () => this.handlers.renew(this.id, change) }, t(key)))));
    this.note.replaceChildren(icon(snapshot.state === "failed" ? "warning" : "clock"), h("div", { class: "note-words" }, ...lines));
  }

  #makeURLForm() {
    const field = h("input", { class: "field", type: "url", id: "detail-url", required: true, autocomplete: "off", placeholder: "https://" });
    const submit = async (event) => {
      event.preventDefault();
      await this.handlers.renew(this.id, { url: field.value.trim() });
    };
    return h("form", { class: "url-form", onsubmit: submit }, h("label", { for: "detail-url", class: "label" }, t("detail.newURL")), h("div", { class: "input-row" }, field, h("button", { class: "button" }, t("use"))));
  }

  #showButtons(snapshot) {
    const names = [];
    const action = Ring.actionFor(snapshot);
    if (action) names.push(snapshot.state === "waiting" ? "resume" : action);
    if (snapshot.state === "completed" && !snapshot.missing) {
      if (!snapshot.files.length) names.push("save");
      names.push("copyPath");
      if (this.#detail?.digest) names.push("verify");
      if (/\.(zip|tar|tgz|tbz2?|txz|7z|rar|gz|xz|bz2|zst)$/i.test(snapshot.file ?? "")) names.push("extract");
    }
    names.push("remove");
    const key = `${snapshot.id} ${names.join(" ")}`;
    if (this.buttons.dataset.key === key) return;
    const focused = this.buttons.contains(document.activeElement);
    this.buttons.dataset.key = key;
    this.buttons.replaceChildren(...names.map((name) => this.#makeButton(name, snapshot)));
    if (focused) this.buttons.firstChild.focus();
  }

  #makeButton(name, snapshot) {
    const pictures = { pause: "pause", resume: "play", retry: "retry", save: "save", remove: "trash", verify: "check", extract: "folder" };
    const title = t(`action.${name}`);
    const press = () => this.handlers.button(name, this.snapshot);
    if (name === "copyPath") return h("button", { type: "button", class: "icon-button framed", "aria-label": title, title, onclick: press }, icon("copy"));
    const words = [icon(pictures[name], 18), h("span", {}, title)];
    if (name === "save") return h("a", { class: "button primary", href: fileURL(snapshot.id), download: "" }, ...words);
    const style = name === "retry" ? "button primary" : name === "remove" ? "button quiet danger" : "button";
    return h("button", { type: "button", class: style, onclick: press }, ...words);
  }

  #showFiles(snapshot) {
    this.filesPart.hidden = !snapshot.files.length;
    const key = JSON.stringify(snapshot.files);
    if (this.filesList.dataset.key === key) return;
    this.filesList.dataset.key = key;
    this.filesList.replaceChildren(...snapshot.files.map((file) => {
      const isDone = file.state === "completed" && !file.missing;
      const name = h("span", { dir: "auto", class: "line-main" }, file.file ?? t("name.unknown"));
      const save = isDone && h("a", { class: "icon-button", href: fileURL(snapshot.id, file.index), download: "", "aria-label": t("action.save.named", { name: file.file }) }, icon("save"));
      return h("li", {}, name, h("span", { class: "line-side" }, facts({ ...file, files: [], url: "", skipped: false, secondsLeft: null, waiting: null }).join(" · ")), save || null);
    }));
  }

  #showDetail(detail) {
    const rows = [
      ["fact.size", detail.total === null ? null : size(detail.total)], ["fact.directory", detail.directory], ["fact.url", detail.url],
      ["fact.added", dateTime(detail.added)], ["fact.started", detail.started && dateTime(detail.started)], ["fact.ended", detail.ended && dateTime(detail.ended)],
      ["fact.unpacked", detail.unpacked], ["fact.tag", detail.tag], ["fact.notStored", notStoredWords(detail)], ["fact.digest", digestWords(detail)],
    ];
    this.facts.replaceChildren(...rows.filter(([, value]) => value).flatMap(([key, value]) => [h("dt", {}, t(key)), h("dd", { dir: "auto" }, value)]));
    this.sourcesPart.hidden = !detail.sources.length;
    this.sources.replaceChildren(...detail.sources.map((source) =>
      h("li", { "data-state": source.state }, h("span", { class: "line-main", dir: "auto", title: source.url }, source.host), h("span", { class: "line-side" }, sourceWords(source, detail)), source.message ? h("span", { class: "line-more" }, source.message) : null)));
    this.logPart.hidden = !detail.log.length;
    this.log.replaceChildren(...[...detail.log].reverse().map((entry) =>
      h("li", {}, h("time", { datetime: entry.time }, clockTime(entry.time)), h("span", { dir: "auto" }, entry.message))));
  }
}

function needsURL(snapshot) {
  if (snapshot.waiting?.code === "credentials") return true;
  const remedies = snapshot.error?.remedies ?? [];
  return snapshot.state === "failed" && remedies.some((name) => ["renewURL", "checkURL", "addSource"].includes(name));
}

/** Ways to go on with a partial file that another URL began. */
function choicesOf(snapshot) {
  const remedies = snapshot.state === "failed" ? snapshot.error?.remedies ?? [] : [];
  const ways = { compareExisting: ["detail.compare", { adopt: true }], replacePartialFile: ["detail.startOver", { ifExists: "replace" }] };
  return remedies.filter((name) => ways[name]).map((name) => ways[name]);
}

function digestWords({ digest, verified, state }) {
  if (!digest) return verified ? t("done.verified") : null;
  const unknown = state === "completed" ? "digest.unchecked" : "digest.pending";
  const words = t(digest.matches === null ? unknown : digest.matches ? "digest.matches" : "digest.differs");
  return `${digest.algorithm} ${digest.value} (${words})`;
}

function sourceWords(source, detail) {
  return t(source.state === "used" && detail.ended ? "source.wasUsed" : `source.${source.state}`);
}

function section(key, ...content) {
  return h("section", { class: "part" }, h("h3", {}, t(key)), ...content);
}
