import { $, toggleAttribute } from "./dom.js";
import { t } from "./i18n.js";
import { Row } from "./row.js";

/// Rows beyond the edges, so that a short scroll shows no gap.
const MARGIN = 6;

/// A list of any length, of which only the rows in sight are in the document, and the active one, which holds the focus.
export class List {
  active = 0;
  openID = null;
  #rows = new Map();
  #spare = [];
  #anchor = 0;
  #frame = null;

  constructor(downloads, selection, handlers) {
    Object.assign(this, { downloads, selection, handlers });
    this.viewport = $("#viewport");
    this.element = $("#list");
    this.narrow = matchMedia("(max-width: 719px)");
    this.viewport.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.viewport);
    this.narrow.addEventListener("change", () => this.draw());
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("contextmenu", (event) => this.#longPress(event));
    this.element.addEventListener("focusin", (event) => this.#focused(event));
    downloads.addEventListener("list", () => this.#moved());
    downloads.addEventListener("rows", (event) => this.#update(event.detail));
    selection.addEventListener("change", () => this.#drawNow());
  }

  get rowHeight() {
    return this.narrow.matches ? 76 : 68;
  }

  draw() {
    this.#frame ??= requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    cancelAnimationFrame(this.#frame);
    this.#frame = null;
    const { total } = this.downloads;
    const height = this.rowHeight;
    this.active = Math.max(0, Math.min(this.active, total - 1));
    this.element.style.setProperty("height", `${total * height}px`);
    toggleAttribute(this.element, "aria-rowcount", String(total));
    const top = this.viewport.scrollTop;
    const first = Math.max(0, Math.floor(top / height) - MARGIN);
    const last = Math.min(total - 1, Math.ceil((top + this.viewport.clientHeight) / height) + MARGIN);
    if (total) this.downloads.want(first, Math.max(first, last));
    this.#place(first, last);
  }

  /// The list was read again: what is in sight stays where it is, and the focus stays on its download.
  #moved() {
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const control = focused?.closest(".row") === focused ? null : focused?.classList[0];
    const top = Math.floor(this.viewport.scrollTop / this.rowHeight);
    const before = this.#rows.get(top);
    const now = before?.id && this.viewport.scrollTop > 0 ? this.downloads.indexOf(before.id) : -1;
    const activeNow = this.#rows.get(this.active)?.id ? this.downloads.indexOf(this.#rows.get(this.active).id) : -1;
    if (activeNow >= 0) this.active = activeNow;
    if (now >= 0 && now !== top) this.viewport.scrollTop += (now - top) * this.rowHeight;
    this.#drawNow();
    if (!focused) return;
    const row = this.#rows.get(this.active)?.element;
    const target = (control && row?.querySelector(`.${control}:not([hidden])`)) ?? row;
    if (target && target !== document.activeElement) target.focus({ preventScroll: true });
  }

  #place(first, last) {
    const isNeeded = (index) => (index >= first && index <= last) || (index === this.active && index < this.downloads.total);
    for (const [index, row] of this.#rows) {
      if (isNeeded(index)) continue;
      this.#rows.delete(index);
      row.element.hidden = true;
      this.#spare.push(row);
    }
    for (let index = first; index <= last; index += 1) this.#fill(index);
    if (this.downloads.total && !this.#rows.has(this.active)) this.#fill(this.active);
  }

  #fill(index) {
    let row = this.#rows.get(index);
    if (!row) {
      row = this.#spare.pop() ?? this.#make();
      this.#rows.set(index, row);
      row.element.hidden = false;
      row.element.style.setProperty("transform", `translateY(${index * this.rowHeight}px)`);
      row.top = this.rowHeight;
    } else if (row.top !== this.rowHeight) {
      row.element.style.setProperty("transform", `translateY(${index * this.rowHeight}px)`);
      row.top = this.rowHeight;
    }
    this.#show(row, index);
  }

  #show(row, index) {
    const snapshot = this.downloads.at(index);
    row.show(index, snapshot, {
      isSelected: Boolean(snapshot) && this.selection.has(snapshot.id),
      isActive: index === this.active,
      isOpen: Boolean(snapshot) && snapshot.id === this.openID,
    });
  }

  #make() {
    const row = new Row({
      toggle: (row) => this.handlers.toggle(row.id),
      check: (row, event) => this.#check(row, event),
      grip: (row, event) => this.handlers.grip(row, event),
    });
    this.element.append(row.element);
    return row;
  }

  #update(ids) {
    for (const [index, row] of this.#rows) if (ids.has(row.id)) this.#show(row, index);
  }

  setOpen(id) {
    this.openID = id;
    this.#drawNow();
  }

  // MARK: Choosing

  activate(index, { focus = true } = {}) {
    if (!this.downloads.total) return;
    const before = this.active;
    this.active = Math.max(0, Math.min(index, this.downloads.total - 1));
    this.#reveal(this.active);
    this.#drawNow();
    if (focus) this.#rows.get(this.active)?.element.focus({ preventScroll: true });
    return before;
  }

  #reveal(index) {
    const top = index * this.rowHeight;
    const { scrollTop, clientHeight } = this.viewport;
    if (top < scrollTop) this.viewport.scrollTop = top;
    else if (top + this.rowHeight > scrollTop + clientHeight) this.viewport.scrollTop = top + this.rowHeight - clientHeight;
  }

  get activeID() {
    return this.downloads.idAt(this.active) ?? null;
  }

  focusActive() {
    this.#rows.get(this.active)?.element.focus({ preventScroll: true });
  }

  selectTo(index) {
    const [from, to] = [Math.min(this.#anchor, index), Math.max(this.#anchor, index)];
    const ids = [];
    for (let row = from; row <= to; row += 1) {
      const id = this.downloads.idAt(row);
      if (id) ids.push(id);
    }
    this.selection.range(ids);
  }

  setAnchor(index) {
    this.#anchor = index;
  }

  #focused(event) {
    const { row } = event.target.closest(".row") ?? {};
    if (!row || row.index === this.active) return;
    this.active = row.index;
    this.#drawNow();
  }

  #check(row, event) {
    event.stopPropagation();
    if (!row.id) return event.preventDefault();
    if (event.shiftKey) this.selectTo(row.index);
    else this.selection.toggle(row.id);
    this.#anchor = row.index;
  }

  #click(event) {
    const { row } = event.target.closest(".row") ?? {};
    if (!row?.id || event.target.closest("button, a, label, .row-grip")) return;
    if (event.shiftKey) this.selectTo(row.index);
    else if (event.ctrlKey || event.metaKey || this.selection.isMode) this.selection.toggle(row.id);
    else this.handlers.open(row.id);
    if (!event.shiftKey) this.#anchor = row.index;
  }

  // A long press, where there is no mouse.
  #longPress(event) {
    const { row } = event.target.closest(".row") ?? {};
    if (!row?.id || event.pointerType === "mouse" || event.button === 2 && event.pointerType !== "touch") return;
    event.preventDefault();
    this.selection.isMode = true;
    this.selection.toggle(row.id);
  }

  label(text = t("list.label")) {
    toggleAttribute(this.element, "aria-label", text);
  }
}
