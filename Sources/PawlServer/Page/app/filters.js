import { $, $$, debounce, setText, toggleAttribute } from "./dom.js";
import { count } from "./format.js";
import { read, t, write } from "./i18n.js";

/// Filter by state, search and order.
export class Filters {
  constructor(downloads, selection, list) {
    Object.assign(this, { downloads, selection, list });
    this.buttons = $$("#filters button");
    this.empty = $("#empty");
    this.noMatch = $("#no-match");
    this.search = $("#search");
    this.sort = $("#sort");
    const sort = read("pawl.sort");
    if (sort && [...this.sort.options].some((option) => option.value === sort)) {
      this.sort.value = sort;
      downloads.query.sort = sort;
    }
    for (const button of this.buttons) button.addEventListener("click", () => this.#choose(button));
    this.search.addEventListener("input", debounce(200, () => this.#query({ q: this.search.value.trim() })));
    this.sort.addEventListener("change", () => {
      write("pawl.sort", this.sort.value);
      this.#query({ sort: this.sort.value });
    });
    $("#clear-filter").addEventListener("click", () => this.#clear());
    downloads.addEventListener("stats", () => this.#show());
    this.#showSort();
  }

  #choose(button) {
    for (const other of this.buttons) toggleAttribute(other, "aria-pressed", String(other === button));
    this.#query({ states: button.dataset.state ? [button.dataset.state] : [] });
  }

  #clear() {
    this.search.value = "";
    this.downloads.query.q = "";
    this.#choose(this.buttons[0]);
    this.search.focus();
  }

  async #query(change) {
    this.selection.clear();
    this.list.viewport.scrollTop = 0;
    this.list.active = 0;
    await this.downloads.setQuery(change);
    this.#showSort();
  }

  // Rows have a grip only in the order of the queue.
  #showSort() {
    document.body.classList.toggle("is-sortable", this.downloads.query.sort === "position");
  }

  #show() {
    const { counts, total, query } = this.downloads;
    const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
    for (const button of this.buttons) {
      const { state } = button.dataset;
      const number = state ? counts[state] : all;
      setText($(".filter-count", button), count(number));
      button.classList.toggle("is-zero", number === 0 && Boolean(state));
    }
    const isFiltered = query.states.length > 0 || query.q !== "";
    this.empty.hidden = total > 0 || isFiltered;
    this.noMatch.hidden = total > 0 || !isFiltered;
    this.list.element.hidden = total === 0;
    setText($("#no-match-words"), t(query.q ? "list.noMatch" : "list.noneInState"));
  }
}
